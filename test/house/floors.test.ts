import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { cruise, type IConfiguration, type ICruiseResult, type IModule } from 'dependency-cruiser'
import { expect, test } from 'vitest'
import { fullRooms, roomCircles } from './room-faults.ts'

const rules: string = '../../.dependency-cruiser.js'
const { default: config } = (await import(rules)) as { default: IConfiguration }

const report = await walk('.')
const page = await walk('.', 'web/src')
const brokenHouse = await walk('test/house/broken-house')

test('every file under src is read by the floor check, and none breaks a rule', () => {
  const read = report.modules.map(({ source }) => source).filter(source => source.startsWith('src/'))
  expect(read.toSorted()).toEqual(globSync('src/**/*.ts').toSorted())
  expect(broken(report)).toEqual([])
})

test('every file of the page is read by the floor check, and none breaks a rule', () => {
  const read = page.modules.map(({ source }) => source).filter(source => source.startsWith('web/'))
  expect(read.filter(source => /\.tsx?$/.test(source)).toSorted()).toEqual(globSync('web/src/**/*.{ts,tsx}').toSorted())
  expect(broken(page)).toEqual([])
  expect(fullRooms(page.modules)).toEqual([])
  expect(roomCircles(page.modules)).toEqual([])
})

test('no folders of src import one another in a circle', () => {
  expect(roomCircles(report.modules)).toEqual([])
  expect(roomCircles(brokenHouse.modules)).toEqual(['src/core/hall <-> src/core/kitchen'])
})

test('no folder of src holds more files than a reader takes in', () => {
  expect(fullRooms(report.modules)).toEqual([])
  const sixteen = Array.from({ length: 16 }, (_, n) => ({ source: `src/core/attic/box-${n}.ts` }) as IModule)
  expect(fullRooms(sixteen)).toEqual(['src/core/attic: 16'])
  expect(fullRooms(sixteen.slice(1))).toEqual([])
})

test('a house with each wall broken once is seen through', () => {
  expect(broken(brokenHouse)).toEqual([
    'adapters-do-not-know-the-runtime: src/plugins/door.ts -> src/runtime/up.ts',
    'client-runs-in-browsers: src/client/leak.ts -> fs',
    'core-is-pure: src/core/leak.ts -> fs',
    'no-stairs-up-from-core: src/core/leak.ts -> src/runtime/up.ts',
    'no-stairs-up-from-hosts-agents-and-outcome-and-listening: src/hosts/outcome/told.ts -> src/hosts/headless/other.ts',
    'no-stairs-up-from-ports-and-async: src/async/wait.ts -> src/runtime/up.ts',
    'no-stairs-up-from-runtime: src/runtime/up.ts -> src/stores/adapter.ts',
    'only-compose-names-adapters: src/hosts/headless/other.ts -> src/stores/adapter.ts',
    'ports-know-only-core: src/ports/bell.ts -> src/async/wait.ts',
    'protocols-do-not-listen: src/protocols/ear.ts -> http',
    'protocols-know-only-http: src/protocols/one/echo.ts -> src/protocols/other/word.ts',
    'walls-of-hosts-cli-and-headless-and-mcp-and-server-and-supervisor: src/hosts/cli/one.ts -> src/hosts/headless/other.ts',
    'walls-of-plugins: src/plugins/door.ts -> src/tools/wall.ts',
    'walls-of-protocols: src/protocols/ear.ts -> src/tools/wall.ts',
    'walls-of-stores: src/stores/adapter.ts -> src/tools/wall.ts',
  ])
})

async function walk(house: string, folder = 'src'): Promise<ICruiseResult> {
  const { output } = await cruise([folder], {
    ...config.options,
    baseDir: resolve(house),
    ruleSet: config,
    validate: true,
  })
  return output as ICruiseResult
}

function broken({ summary }: ICruiseResult): string[] {
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`).toSorted()
}

import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser'
import { expect, test } from 'vitest'

const rules: string = '../../.dependency-cruiser.js'
const { default: config } = (await import(rules)) as { default: IConfiguration }

test('every file under src is read by the floor check, and none breaks a rule', async () => {
  const report = await walk('.')
  const read = report.modules.map(({ source }) => source).filter(source => source.startsWith('src/'))
  expect(read.toSorted()).toEqual(globSync('src/**/*.ts').toSorted())
  expect(broken(report)).toEqual([])
})

test('a house with each wall broken once is seen through', async () => {
  expect(broken(await walk('test/house/broken-house'))).toEqual([
    'adapters-do-not-know-the-runtime: src/plugins/door.ts -> src/runtime/up.ts',
    'core-is-pure: src/core/leak.ts -> fs',
    'hosts-do-not-know-each-other: src/hosts/cli/one.ts -> src/hosts/headless/other.ts',
    'no-stairs-up-from-core: src/core/leak.ts -> src/runtime/up.ts',
    'no-stairs-up-from-ports-and-async: src/async/wait.ts -> src/runtime/up.ts',
    'no-stairs-up-from-runtime: src/runtime/up.ts -> src/stores/adapter.ts',
    'only-compose-names-adapters: src/hosts/headless/other.ts -> src/stores/adapter.ts',
    'outcome-and-bundles-know-no-room: src/hosts/outcome/told.ts -> src/hosts/headless/other.ts',
    'ports-know-only-core: src/ports/bell.ts -> src/async/wait.ts',
    'protocols-do-not-listen: src/protocols/ear.ts -> http',
    'protocols-know-only-http: src/protocols/one/echo.ts -> src/protocols/other/word.ts',
    'walls-of-plugins: src/plugins/door.ts -> src/tools/wall.ts',
    'walls-of-protocols: src/protocols/ear.ts -> src/tools/wall.ts',
    'walls-of-stores: src/stores/adapter.ts -> src/tools/wall.ts',
  ])
})

async function walk(house: string): Promise<ICruiseResult> {
  const { output } = await cruise(['src'], {
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

import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const BELOW = globSync('src/{core,ports,async,runtime,stores,models,tools,plugins,tasks,protocols}/**/*.ts')
const COMMAND = /`holdpoint (?:-|[a-z]+)[^`]*`/

test('nothing below the hosts tells a reader to run a command of the command line', () => {
  const telling = BELOW.filter(file => !file.endsWith('.test.ts')).flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(line => !/^\s*(\/?\*|\/\/)/.test(line) && COMMAND.test(line.replaceAll('\\`', '`')))
      .map(line => `${file}: ${line.trim()}`),
  )
  expect(BELOW.length).toBeGreaterThan(300)
  expect(telling).toEqual([])
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inspectCommand } from '../../src/tools/read-command/inspect-command.ts'

const lines = readFileSync(join(import.meta.dirname, 'usual-calls.txt'), 'utf8')
  .trimEnd()
  .split('\n')
const calls = lines.filter(line => !line.startsWith('#'))

const MARK = '! '
/** Of all calls. */
const MOST_MARKED = 0.1

test('of the commands of a usual week those ask for care that delete or reach beyond the machine, and they are few', async () => {
  const marked: string[] = []
  for (const line of calls) {
    const command = line.replace(MARK, '')
    const { reaches = [] } = await inspectCommand(command, '/project')
    marked.push(reaches.length > 0 ? MARK + command : command)
  }
  expect(marked).toEqual(calls)
  expect(calls.length).toBeGreaterThanOrEqual(400)
  expect(calls.filter(line => line.startsWith(MARK)).length / calls.length).toBeLessThanOrEqual(MOST_MARKED)
})

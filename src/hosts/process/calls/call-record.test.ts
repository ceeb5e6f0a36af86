import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, unlinkSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { recordCall, recordedCommand } from './call-record.ts'

let calls = 0

/** Runs it in a group of its own, as commands of agents run; `signal` goes to all of the group once the command says so. */
async function recorded(command: string, signal: NodeJS.Signals | null = null) {
  calls += 1
  const key = `test-${process.pid}/${calls}`
  const record = recordCall(key, { PATH: process.env['PATH'] })
  if (record === null) throw new TypeError('nothing is recorded here')
  onTestFinished(() => record.forget())
  const shell = spawn('bash', ['-c', command], {
    env: record.environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const closed = once(shell, 'close') as Promise<[code: number | null, signal: string | null]>
  let printed = ''
  shell.stdout.on('data', chunk => (printed += chunk))
  if (signal !== null) {
    await once(shell.stdout, 'data')
    process.kill(-(shell.pid ?? 0), signal)
  }
  const [code, by] = await closed
  return { end: by ?? code, exit: recordedCommand(key)?.last_status ?? null, pid: shell.pid, key, printed }
}

test.each([
  ['true', 0],
  ['exit 3', 3],
  ['false', 1],
  ['set -e; false; true', 1],
  ['(exit 4)', 4],
  ['nosuchcommand', 127],
  ['sh -c "kill -KILL \\$\\$"', 137],
])('the exit of `%s` is its last status', async (command, exit) => {
  expect(await recorded(command)).toMatchObject({ end: exit, exit })
})

test('P11: a command that a signal cuts off leaves a status too, which is no exit', async () => {
  const { end, exit } = await recorded('echo begun; while :; do :; done', 'SIGTERM')
  expect([end, exit]).toEqual(['SIGTERM', expect.any(Number)])
})

test('a command that sets its own trap at its end, or is another program by then, leaves no exit', async () => {
  expect(await recorded('trap "echo bye" EXIT; true')).toMatchObject({ end: 0, exit: null, printed: 'bye\n' })
  expect(await recorded('exec true')).toMatchObject({ end: 0, exit: null })
})

test('a command reads and inherits nothing of its record', async () => {
  const { printed } = await recorded('env; compgen -v')
  expect(printed).not.toMatch(/HOLDPOINT|BASH_ENV|^REPLY|holdpoint-\d+\/calls/m)
})

test('P11: a record that another process removes meanwhile keeps no command from being recorded', async () => {
  vi.resetModules()
  const fresh = await import('./call-record.ts')
  const removed = `/tmp/holdpoint-${process.getuid?.()}/calls/test-${process.pid}-removed`
  // Its name is listed, and there is nothing to look at.
  symlinkSync(`${removed}-before`, removed)
  const record = fresh.recordCall(`test-${process.pid}/beside`, {})
  unlinkSync(removed)
  expect(record).not.toBeNull()
  record?.forget()
})

test('the process of a command is on record before it begins', async () => {
  const { key, pid } = await recorded('true')
  expect(recordedCommand(key)?.process).toMatch(new RegExp(`:${pid}:\\d+$`))
})

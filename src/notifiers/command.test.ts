import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive } from '../../test/scenarios/processes.ts'
import { NEVER } from '../async/on-abort.ts'
import type { Notice } from '../core/notice/notice.ts'
import { TEST_TEXT } from '../core/notice/notice-text.ts'
import { commandAddress, commandNotifier } from './command.ts'

const at = '2030-01-01T00:00:00.000Z'
const notice: Notice = {
  id: 'notice_1',
  event: 'test',
  at,
  person: null,
  hold: null,
  result: null,
  holds: [],
  run: null,
  url: null,
  text: TEST_TEXT,
}

async function aPlace() {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const read = (file: string) => readFile(join(directory, file), 'utf8')
  const tell = (script: string, signal: AbortSignal = NEVER) => {
    const argv = ['sh', '-c', script]
    const notifier = commandNotifier([{ argv, content: 'none' }], { directory, environment: process.env })
    return notifier.send(notice, commandAddress(argv), { signal, earlier: null })
  }
  return { tell, read }
}

test('a program that leaves a window open has told its message', async () => {
  const { tell, read } = await aPlace()
  await tell('cat > told.json; sleep 60 & echo $! > window.pid')
  expect(JSON.parse(await read('told.json'))).toMatchObject({ id: 'notice_1', type: 'notice.test' })
  process.kill(Number(await read('window.pid')), 'SIGKILL')
})

test('a program that fails says why', async () => {
  const { tell } = await aPlace()
  await expect(tell('echo no screen >&2; exit 3')).rejects.toMatchObject({
    code: 'notice_command_failed',
    message: expect.stringContaining('it ended with 3: no screen'),
  })
})

test('a program that hangs is stopped with all that it started', async () => {
  const { tell, read } = await aPlace()
  const stop = new AbortController()
  const told = tell('sleep 60 & echo $! > left.pid; wait', stop.signal)
  await expect.poll(() => read('left.pid').catch(() => '')).toMatch(/\d\n/)
  stop.abort(new Error('too long'))
  await expect(told).rejects.toThrow('too long')
  const left = Number(await read('left.pid'))
  await expect.poll(() => isAlive(left)).toBe(false)
})

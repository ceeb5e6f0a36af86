import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { processLiveness } from '../../hosts/process/process-liveness.ts'
import { processFamilies } from './process-family.ts'

async function aSession(mark: string): Promise<{ child: ChildProcess; leader: number; started: string }> {
  const child = spawn('sh', ['-c', 'sleep 60 & echo; wait'], {
    ...{ detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
    env: { ...process.env, MARK: mark },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout ?? child, 'data')
  const names = processLiveness()
  const found = names.find(names.nameOf(child.pid ?? 0) ?? '')
  return { child, leader: found?.pid ?? 0, started: found?.started ?? '' }
}

test('a leader whose id names another process by now is left alone, with its session', async () => {
  const { child, leader, started } = await aSession('theirs')
  const family = { leader, started: String(Number(started) - 1), mark: 'ours-and-gone' }
  processFamilies.signal(family, 'SIGKILL')
  expect(await processFamilies.isGone(family, 0)).toBe(true)
  expect(await processFamilies.isGone({ leader, started, mark: null }, 0)).toBe(false)
  processFamilies.signal({ leader, started, mark: null }, 'SIGKILL')
  await once(child, 'exit')
})

test('without a leader the mark alone tells', async () => {
  const mark = `mark-${process.pid}`
  const { child } = await aSession(mark)
  const family = { leader: null, mark }
  expect(await processFamilies.isGone(family, 0)).toBe(false)
  expect(await processFamilies.isGone({ leader: null, mark: null }, 0)).toBe(true)
  processFamilies.signal(family, 'SIGTERM')
  await once(child, 'exit')
  expect(await processFamilies.isGone(family, 2_000)).toBe(true)
})

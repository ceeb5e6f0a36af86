import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startAttempt } from './attempt.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const late = new Error('late')
const start = (timeoutMs: number, caller = new AbortController().signal) => startAttempt(caller, timeoutMs, () => late)
const never = new Promise<never>(() => {})

test('an attempt in which nothing arrives ends after its time', async () => {
  const attempt = start(100)
  const work = attempt.race(never)
  vi.advanceTimersByTime(99)
  expect(attempt.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  await expect(work).rejects.toBe(late)
  expect(attempt.signal.reason).toBe(late)
})

test('an attempt in which something keeps arriving lasts as long as it does', async () => {
  const attempt = start(100)
  for (let part = 0; part < 10; part++) {
    vi.advanceTimersByTime(90)
    attempt.alive()
  }
  await expect(attempt.race(Promise.resolve('part'))).resolves.toBe('part')
  attempt.end()
  expect(vi.getTimerCount()).toBe(0)
})

test('a time limit beyond what a timer can hold does not end at once', () => {
  const attempt = start(Number.POSITIVE_INFINITY)
  vi.advanceTimersByTime(60_000)
  expect(attempt.signal.aborted).toBe(false)
  attempt.end()
})

test('an abort wins over a part that arrived with it', async () => {
  const caller = new AbortController()
  const attempt = start(100, caller.signal)
  caller.abort('enough')
  await expect(attempt.race(Promise.resolve('part'))).rejects.toBe('enough')
  attempt.end()
})

test('a caller that had given up before is heard', async () => {
  const attempt = start(100, AbortSignal.abort('enough'))
  await expect(attempt.race(never)).rejects.toBe('enough')
  attempt.end()
})

test('an attempt that ended no longer listens to its caller', () => {
  const caller = new AbortController()
  const attempt = start(100, caller.signal)
  attempt.end()
  caller.abort('enough')
  expect(attempt.signal.aborted).toBe(false)
})

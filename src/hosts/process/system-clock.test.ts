import { expect, test } from 'vitest'
import { systemClock } from './system-clock.ts'

test('a sleep that is longer than a timer can wait is not over at once', async () => {
  const stop = new AbortController()
  const slept = systemClock.sleep(3_000_000_000, stop.signal).then(
    () => 'awake',
    () => 'woken',
  )
  const first = await Promise.race([slept, systemClock.sleep(50, new AbortController().signal)])
  expect(first).toBeUndefined()
  stop.abort(new Error('enough'))
  expect(await slept).toBe('woken')
})

test('a sleep that is aborted before it begins rejects with the reason', async () => {
  const reason = new Error('no time')
  await expect(systemClock.sleep(0, AbortSignal.abort(reason))).rejects.toBe(reason)
})

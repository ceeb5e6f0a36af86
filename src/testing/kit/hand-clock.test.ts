import { expect, test } from 'vitest'
import { handClock } from './hand-clock.ts'

const never = new AbortController().signal

test('time stands still until it is turned', () => {
  const clock = handClock('2031-02-03T04:05:06.000Z')
  expect(new Date(clock.now()).toISOString()).toBe('2031-02-03T04:05:06.000Z')
  clock.advance(1_500)
  expect(new Date(clock.now()).toISOString()).toBe('2031-02-03T04:05:07.500Z')
})

test('sleeps end when they are due, the earliest first, and not before', async () => {
  const clock = handClock(0)
  const woken: number[] = []
  const sleeps = [30, 10, 20].map(ms => clock.sleep(ms, never).then(() => woken.push(ms)))
  clock.advance(9)
  expect(clock.sleeping).toBe(3)
  clock.advance(21)
  await Promise.all(sleeps)
  expect(woken).toEqual([10, 20, 30])
  expect(clock.sleeping).toBe(0)
})

test('a sleep that is aborted ends at once with the reason', async () => {
  const clock = handClock(0)
  const controller = new AbortController()
  const sleep = clock.sleep(1_000, controller.signal)
  controller.abort(new Error('enough'))
  await expect(sleep).rejects.toThrow('enough')
  await expect(clock.sleep(1_000, controller.signal)).rejects.toThrow('enough')
  expect(clock.sleeping).toBe(0)
})

import { expect, test } from 'vitest'
import { handClock } from '../testing/kit/hand-clock.ts'
import { Alarm } from './alarm.ts'

test('a ring that comes before the sleep is not lost', async () => {
  const alarm = new Alarm(handClock())
  alarm.ring()
  expect(alarm.hasRung).toBe(true)
  await alarm.sleepUntil(Number.POSITIVE_INFINITY)
})

test('after a reset it sleeps until the next ring', async () => {
  const clock = handClock(0)
  const alarm = new Alarm(clock)
  alarm.ring()
  alarm.reset()
  expect(alarm.hasRung).toBe(false)
  const woken = alarm.sleepUntil(100)
  expect(clock.sleeping).toBe(1)
  alarm.ring()
  await woken
  expect(clock.sleeping).toBe(0)
})

test('without a ring it sleeps until it is time', async () => {
  const clock = handClock(0)
  const woken = new Alarm(clock).sleepUntil(100)
  clock.advance(99)
  expect(clock.sleeping).toBe(1)
  clock.advance(1)
  await woken
})

test('an abort ends the sleep, also one that came first', async () => {
  const stop = new AbortController()
  const alarm = new Alarm(handClock())
  const woken = alarm.sleepUntil(Number.POSITIVE_INFINITY, stop.signal)
  stop.abort()
  await woken
  await alarm.sleepUntil(Number.POSITIVE_INFINITY, stop.signal)
})

import { expect, test } from 'vitest'
import { handClock } from '../testing/kit/hand-clock.ts'
import { endsWithin } from './grace-period.ts'
import { Underway } from './underway.ts'

test('work that ends or fails within the grace period counts as ended, and no timer stays behind', async () => {
  const clock = handClock()
  expect(await endsWithin(clock, 100, Promise.resolve())).toBe(true)
  expect(await endsWithin(clock, 100, Promise.reject(new Error('failed')))).toBe(true)
  expect(clock.sleeping).toBe(0)
})

test('work that takes longer than the grace period does not count as ended', async () => {
  const clock = handClock()
  const ends = endsWithin(clock, 100, new Promise(() => {}))
  clock.advance(100)
  expect(await ends).toBe(false)
})

test('all work that is under way is waited for, and its failures reach only their own callers', async () => {
  const clock = handClock()
  const underway = new Underway()
  const first = Promise.withResolvers<string>()
  const failing = expect(underway.track(Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  const tracked = underway.track(first.promise)
  const settled = underway.settled(clock, 100)
  first.resolve('done')
  expect(await settled).toBe(true)
  expect(await tracked).toBe('done')
  await failing
})

test('work that hangs is waited for as long as the grace period lasts', async () => {
  const clock = handClock()
  const underway = new Underway()
  void underway.track(new Promise(() => {}))
  const settled = underway.settled(clock, 100)
  clock.advance(100)
  expect(await settled).toBe(false)
})

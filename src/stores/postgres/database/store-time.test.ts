import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreTime } from './store-time.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('between two answers time goes on, and is never ahead of the database', () => {
  const time = new StoreTime(null)
  expect(time.known).toBe(null)
  expect(time.hear('5000')).toBe(5_000)
  vi.advanceTimersByTime(900.6)
  expect(time.known).toBe(5_900)
})

test('an answer that is a second old says nothing any more', () => {
  const time = new StoreTime(null)
  time.hear(5_000)
  vi.advanceTimersByTime(1_000)
  expect(time.known).toBe(null)
  expect(time.hear(7_000)).toBe(7_000)
  expect(time.known).toBe(7_000)
})

test('a clock of a test counts alone', () => {
  const time = new StoreTime(() => 42)
  expect([time.known, time.hear(5_000), time.known]).toEqual([42, 42, 42])
})

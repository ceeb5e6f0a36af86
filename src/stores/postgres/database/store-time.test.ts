import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreTime } from './store-time.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

test('between two answers time goes on, and is never ahead of the database', () => {
  const time = new StoreTime(null)
  expect(time.known).toBe(null)
  expect(time.hear('5000')).toBe(5_000)
  vi.advanceTimersByTime(900.6)
  expect(time.known).toBe(5_900)
})

test('an answer that was long on its way does not set it back', () => {
  const time = new StoreTime(null)
  time.hear(5_000)
  vi.advanceTimersByTime(500)
  expect(time.hear(5_100)).toBe(5_100)
  expect(time.known).toBe(5_500)
})

test('an answer that is a second old says nothing any more, and what comes then counts', () => {
  const time = new StoreTime(null)
  time.hear(5_000)
  vi.advanceTimersByTime(1_000)
  expect(time.known).toBe(null)
  expect(time.hear(3_000)).toBe(3_000)
  expect(time.known).toBe(3_000)
})

test('after the machine slept, or its clock was set, the database is asked', () => {
  const time = new StoreTime(null)
  time.hear(5_000)
  vi.setSystemTime(Date.now() + 60_000)
  expect(time.known).toBe(null)
})

test('a clock of a test counts alone', () => {
  const time = new StoreTime(() => 42)
  expect([time.known, time.hear(5_000), time.known]).toEqual([42, 42, 42])
})

import { uptime } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from './system-clock.ts'

/** The system tells its own in hundredths of a second. */
const ROUGH_MS = 100

test('the steady clock tells the time since the machine started, and never goes back', async () => {
  const told: number[] = []
  for (let n = 0; n < 20; n += 1) {
    told.push(systemClock.steady())
    await delay(10)
  }
  expect(told).toEqual(told.toSorted((a, b) => a - b))
  expect(Math.abs(systemClock.steady() - uptime() * 1_000)).toBeLessThan(ROUGH_MS)
})

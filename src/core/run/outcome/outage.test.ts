import { expect, test } from 'vitest'
import { type Outage, outageAfter } from './outage.ts'

const NOW = Date.parse('2030-01-01T00:00:00.000Z')
const terms = { now: NOW, giveUpAfterMs: 24 * 3_600_000, spread: 0 }
const failed = { code: 'model_overloaded', message: 'Overloaded.', retryAfterMs: null }

/** The waits of a run whose model never answers, in milliseconds. */
function waits(spread: number, retryAfterMs: number | null = null): number[] {
  const found: number[] = []
  let now = NOW
  for (let before: Outage | null = null; found.length < 9; ) {
    before = outageAfter(before, { ...failed, retryAfterMs }, { ...terms, now, spread })
    const at = Date.parse(before?.retry_at ?? '')
    found.push(at - now)
    now = at
  }
  return found
}

test('each wait is twice as long as the one before, up to five minutes, and half of it is spread', () => {
  expect(waits(0)).toEqual([2_500, 5_000, 10_000, 20_000, 40_000, 80_000, 150_000, 150_000, 150_000])
  expect(waits(1)).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000])
})

test('a model is never asked before the time that its provider named, up to a day', () => {
  const hour = 3_600_000
  expect(waits(0, hour)[0]).toBe(hour)
  expect(waits(1, hour)[0]).toBe(hour + 2_500)
  const long = outageAfter(null, { ...failed, retryAfterMs: 90 * hour }, { ...terms, giveUpAfterMs: 100 * hour })
  expect(Date.parse(long?.retry_at ?? '') - NOW).toBe(24 * hour)
})

test.each([
  ['without a time of the provider', null, 0],
  ['spread', null, 1],
  ['with a time within a minute', 30_000, 0],
  ['with a time after it', 3_600_000, 0],
  ['with a time of exactly a minute', 60_000, 0],
])('an outage becomes long once: %s', (_, retryAfterMs, spread) => {
  let now = NOW
  let before: Outage | null = null
  const seen: [boolean, boolean][] = []
  for (let n = 0; n < 9; n += 1) {
    before = outageAfter(before, { ...failed, retryAfterMs }, { ...terms, now, spread }) as Outage
    now = Date.parse(before.retry_at)
    seen.push([now - NOW > 60_000, before.becomes_long === true])
  }
  expect(seen.filter(([, marked]) => marked)).toHaveLength(1)
  expect(seen.findIndex(([, marked]) => marked)).toBe(seen.findIndex(([isLong]) => isLong))
})

test('an outage counts from its first failure, and a run gives up before a try that would come too late', () => {
  const first = outageAfter(null, failed, terms) as Outage
  expect(first).toMatchObject({ since: '2030-01-01T00:00:00.000Z', failures: 1, code: 'model_overloaded' })
  const second = outageAfter(first, { ...failed, code: 'rate_limited' }, { ...terms, now: NOW + 2_500 })
  expect(second).toMatchObject({ since: first.since, failures: 2, code: 'rate_limited' })
  expect(outageAfter(first, failed, { ...terms, now: NOW + 2_500, giveUpAfterMs: 7_000 })).toBeNull()
  expect(outageAfter(null, failed, { ...terms, giveUpAfterMs: 0 })).toBeNull()
})

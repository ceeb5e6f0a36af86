import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ON_IDLE, USUAL_INTERACTIVE } from '../settings/interactive-settings.ts'
import { type IdleFacts, idleEndsAt } from './idle-clock.ts'
import { interactiveOf, isIdleTimeout, LONGEST_IDLE_MS } from './interactive.ts'

const IDLE: IdleFacts = { idle_since: 1000, last_input_at: 400, last_left_at: null, clients: 0 }
const LIMIT = { idle_timeout_ms: 300 }

test.each<[when: string, facts: Partial<IdleFacts>, ends: number | null]>([
  ['a turn took longer than the timeout: from its end', {}, 1300],
  ['the last input came after the turn', { last_input_at: 1500 }, 1800],
  ['the last client left after the last input', { last_input_at: 1100, last_left_at: 1200 }, 1500],
  ['a client is attached', { clients: 1 }, null],
  ['its run does not wait for a message alone', { idle_since: null }, null],
])('when %s', (_when, facts, ends) => {
  expect(idleEndsAt({ ...IDLE, ...facts }, LIMIT)).toBe(ends)
})

test('a timeout of 0 never ends', () => {
  expect(idleEndsAt(IDLE, { idle_timeout_ms: 0 })).toBeNull()
})

test('the clock never ends an agent sooner than its timeout after the last thing that happened', () => {
  const time = fc.nat(10_000)
  const facts = fc.record({
    idle_since: time,
    last_input_at: fc.option(time),
    last_left_at: fc.option(time),
    clients: fc.constant(0),
  })
  fc.assert(
    fc.property(facts, fc.integer({ min: 1, max: 5000 }), (each, idle_timeout_ms) => {
      const ends = idleEndsAt(each, { idle_timeout_ms }) ?? 0
      for (const at of [each.idle_since, each.last_input_at, each.last_left_at])
        expect(ends - (at ?? 0)).toBeGreaterThanOrEqual(idle_timeout_ms)
    }),
  )
})

test('a task is interactive if its details say so, and odd values there count as the usual ones', () => {
  expect(interactiveOf({})).toBeNull()
  expect(interactiveOf({ interactive: 'yes' })).toBeNull()
  for (const on_idle of ON_IDLE)
    expect(interactiveOf({ interactive: { idle_timeout_ms: 0, on_idle } })).toEqual({ idle_timeout_ms: 0, on_idle })
  const odd = { interactive: { idle_timeout_ms: -1, on_idle: 'explode' } }
  expect(interactiveOf(odd)).toEqual(USUAL_INTERACTIVE)
})

test.each([0, 1, LONGEST_IDLE_MS])('%s is a timeout', value => expect(isIdleTimeout(value)).toBe(true))
test.each([-1, 1.5, LONGEST_IDLE_MS + 1, Number.NaN, '5', null])('%s is no timeout', value =>
  expect(isIdleTimeout(value)).toBe(false),
)

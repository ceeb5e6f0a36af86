import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BarFacts, guardApproval, guardRefusal, SETTLE_MS } from './bar-guard.ts'

const key = fc.record({ read: fc.nat(5), at: fc.nat(2000), isAlone: fc.boolean(), isRepeat: fc.boolean() })
const hold = fc.constantFrom(null, 'hold_1 sha256:a 0', 'hold_1 sha256:b 0', 'hold_2 sha256:a 0')
const bar: fc.Arbitrary<BarFacts> = fc.record({
  focusedIn: fc.nat(5),
  changedAt: fc.nat(2000),
  drawn: hold,
  waits: hold,
  isSeen: fc.boolean(),
  word: fc.constantFrom(null, 'run'),
})

test('P1: a key approves only alone, later than what led to the bar, and not just after a change', () => {
  fc.assert(
    fc.property(key, bar, (pressed, facts) => {
      if (guardApproval(pressed, facts).may !== 'decide') return
      expect(pressed).toMatchObject({ isAlone: true, isRepeat: false })
      expect(pressed.read).not.toBe(facts.focusedIn)
      expect(pressed.at - facts.changedAt).toBeGreaterThanOrEqual(SETTLE_MS)
    }),
  )
})

test('P9: a key decides about what was drawn, if that still waits, and approves only what was seen whole', () => {
  fc.assert(
    fc.property(key, bar, (pressed, facts) => {
      const [approval, refusal] = [guardApproval(pressed, facts), guardRefusal(pressed, facts)]
      if (refusal.may === 'decide') expect(facts.drawn).toBe(facts.waits)
      if (refusal.may === 'decide') expect(facts.drawn).not.toBeNull()
      if (approval.may === 'decide') expect([facts.isSeen, facts.word]).toEqual([true, null])
      // What may be approved may be refused.
      if (approval.may !== 'nothing') expect(refusal.may).toBe('decide')
    }),
  )
})

test('a deliberate key on a call that stands there whole approves it', () => {
  const drawn = 'hold_1 sha256:a 0'
  const facts = { focusedIn: 1, changedAt: 0, drawn, waits: drawn, isSeen: true, word: null }
  const pressed = { read: 2, at: SETTLE_MS, isAlone: true, isRepeat: false }
  expect(guardApproval(pressed, facts)).toEqual({ may: 'decide' })
  expect(guardApproval(pressed, { ...facts, isSeen: false })).toEqual({ may: 'scroll' })
  expect(guardApproval(pressed, { ...facts, word: 'run' })).toEqual({ may: 'spell' })
  expect(guardApproval({ ...pressed, isRepeat: true }, facts)).toMatchObject({ may: 'nothing' })
})

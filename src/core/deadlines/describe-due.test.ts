import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-hold.ts'
import type { Hold } from '../hold/hold.ts'
import { DAY_SECONDS, FINAL_ACTIONS, NO_TIMING, ON_DUE, type OnDue } from '../people/due.ts'
import { describeDue, whenDue } from './describe-due.ts'
import { nextDue } from './next-due.ts'

const NOW = Date.parse('2030-01-01T00:00:00.000Z')
const due = (on_due: OnDue | null, more: Partial<Hold> = {}) => ({
  ...NO_TIMING,
  kind: 'approval' as const,
  tool: 'deploy',
  destructive: false,
  level: 0,
  due_at: '2030-01-01T02:00:00.000Z',
  on_due,
  deciders: null,
  ...more,
})

const AT = 'in 2 h (2030-01-01T02:00:00.000Z): '
const LEVELS = [
  { assignee: '@managers', seconds: 3_600, people: [] },
  { assignee: 'carla', seconds: 5_400, people: [] },
]

test.each([
  ['cancel', due('cancel'), 'its run cancelled'],
  ['reject', due('reject'), 'rejected'],
  ['auto_approve', due('auto_approve'), 'approved, with nobody having looked'],
  ['nothing that is said', due(null), 'its run cancelled'],
  ['an approval of what can only be answered', due('auto_approve', { kind: 'question' }), 'its run cancelled'],
  ['a rejection of what is in doubt', due('reject', { kind: 'in_doubt' }), 'its run cancelled'],
  [
    'an approval where certain people must decide',
    due('auto_approve', { deciders: { people: ['ana'], not_requester: false, quorum: 1 } }),
    'its run cancelled',
  ],
  ['an end of a text pause', due('cancel', { kind: 'input' }), 'its run cancelled'],
  [
    'an approval that time may not give',
    due('cancel', { not_by_time: 'deploy is destructive' }),
    'its run cancelled, and not approved: deploy is destructive',
  ],
  ['an approval of a text pause', due('auto_approve', { kind: 'input' }), 'its text accepted as final'],
  ['an end that levels would have had', due('reject', { escalation: LEVELS, finally: 'auto_approve' }), 'rejected'],
  [
    'one level',
    due('escalate', { escalation: LEVELS.slice(0, 1) }),
    'escalated to @managers, who have 1 h; then its run cancelled',
  ],
  [
    'two levels and an end of their own',
    due('escalate', { escalation: LEVELS, finally: 'reject' }),
    'escalated to @managers, who have 1 h; then to carla, who has 1 h 30 min; then rejected',
  ],
  [
    'the level that is left',
    due('escalate', { escalation: LEVELS, level: 1, finally: 'auto_approve' }),
    'escalated to carla, who has 1 h 30 min; then approved, with nobody having looked',
  ],
  ['no level that is left', due('escalate', { escalation: LEVELS, level: 2 }), 'its run cancelled'],
])('at a deadline with %s it is told what happens', (_what, hold, then) => {
  expect(describeDue(hold, NOW)).toBe(`${AT}${then}`)
})

test('what is never due waits until somebody decides', () => {
  expect(describeDue(due('cancel', { due_at: null }), NOW)).toBe('never: it waits until somebody decides')
})

test('what is due and was not looked after is told as overdue', () => {
  expect(describeDue(due('cancel'), NOW + 2 * 3_600_000 + 180_000)).toBe(
    'overdue by 3 min (2030-01-01T02:00:00.000Z): its run cancelled',
  )
  expect(whenDue('2030-01-01T00:00:00.000Z', NOW)).toBe('overdue by 0 s')
})

test('each level that is left is named once, in order, and none that is over', () => {
  const level = fc.record({
    assignee: fc.stringMatching(/^@?[a-z]{5,9}$/),
    seconds: fc.integer({ min: 1, max: 90_000 }),
    people: fc.constant([]),
  })
  fc.assert(
    fc.property(
      fc.uniqueArray(level, { maxLength: 5, selector: each => each.assignee }),
      fc.nat(6),
      (escalation, at) => {
        const named = [...describeDue(due('escalate', { escalation, level: at }), NOW).matchAll(/to (\S+), who/g)]
        expect(named.map(([, assignee]) => assignee)).toEqual(escalation.slice(at).map(each => each.assignee))
      },
    ),
  )
})

const WORDS = {
  cancelled: 'cancel',
  rejected: 'reject',
  'approved, with nobody having looked': 'auto_approve',
  'its run cancelled': 'cancel',
  'its text accepted as final': 'auto_approve',
}

test('the end that is told is the end that comes', () => {
  const kinds = fc.constantFrom<Hold['kind']>('approval', 'question', 'input', 'client_tool', 'in_doubt')
  const wished = fc.record({
    kind: kinds,
    on_due: fc.constantFrom(...ON_DUE),
    finally: fc.constantFrom(...FINAL_ACTIONS),
  })
  fc.assert(
    fc.property(wished, changes => {
      const hold = aHold({ due_at: '2030-01-01T02:00:00.000Z', ...changes })
      const event = nextDue(hold, NOW + DAY_SECONDS * 1_000, () => ({ decision_id: 'dec_1', digest: null }))
      const [, end = ''] = /: (.*)$/.exec(describeDue(hold, NOW)) ?? []
      expect(event).toMatchObject({ kind: 'hold.expired', data: { on_due: WORDS[end as keyof typeof WORDS] } })
    }),
  )
})

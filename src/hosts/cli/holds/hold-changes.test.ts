import { expect, test } from 'vitest'
import type { Hold } from '../../../core/hold/hold.ts'
import { aHold } from '../../../testing/contracts/sample-hold.ts'
import { aDecision } from '../../../testing/contracts/sample-journal.ts'
import { changeLine, holdChanges } from './hold-changes.ts'

const HEAD = 'hold_1  approval  tester  work  '
const ABOUT = '{"of":"call_1"}'

/** What is told between two looks at one hold. */
function told(before: Partial<Hold> | null, now: Partial<Hold>): string[] {
  const known = new Map(before === null ? [] : [['hold_1', aHold(before)]])
  const hold = aHold(now)
  const changes = hold.status === 'open' ? holdChanges(known, [hold], []) : holdChanges(known, [], [hold])
  return changes.map(change => changeLine({ ...change, hold: { ...change.hold, path: [], checkpoint_id: null } }))
}

test('a hold that was not there has opened', () => {
  expect(told(null, {})).toEqual([`opened   ${HEAD}${ABOUT}`])
})

test('a hold that is as it was is not told of', () => {
  expect(told({}, {})).toEqual([])
})

const votes = [aDecision('approve', { decided_by: 'ben' })]
const deciders = { people: null, not_requester: false, quorum: 2 }

test.each([
  ['a reminder', { remind_at: ['t', 'u'] }, { reminded: 1, remind_at: ['t', 'u'] }, 'reminder 1 of 2'],
  ['another assignee', {}, { assignee: 'ben' }, 'assigned to ben'],
  ['no assignee any more', { assignee: 'ben' }, {}, 'assigned to nobody'],
  [
    'an escalation',
    { assignee: 'ben', due_at: 't1' },
    { assignee: '@managers', level: 1, due_at: 't2' },
    'escalated to @managers, due t2',
  ],
  ['a vote', { deciders }, { deciders, votes }, '1 of 2 approvals: ben'],
])('%s is a change', (_what, before, now, news) => {
  expect(told(before, now)).toEqual([`changed  ${HEAD}[${news}] ${ABOUT}`])
})

test.each([
  ['approved', { status: 'decided', decision: aDecision('approve', { reason: 'fine' }) }, 'approved by ana (fine)'],
  ['rejected', { status: 'decided', decision: aDecision('reject') }, 'rejected by ana'],
  [
    'edited',
    { status: 'decided', decision: aDecision('edit', { digest: 'sha256:edited' }) },
    'approved with other arguments by ana: without of, edited: true',
  ],
  ['answered', { status: 'decided', decision: aDecision('respond') }, 'answered by ana: an answer'],
  ['expired', { status: 'expired', decision: aDecision('cancel', { decided_by: 'holdpoint' }) }, 'expired: cancelled'],
  ['withdrawn', { status: 'withdrawn' }, 'withdrawn'],
] as const)('a hold that was %s has closed, with its outcome', (_what, now, outcome) => {
  expect(told({}, now)).toEqual([`closed   ${HEAD}[${outcome}] ${ABOUT}`])
})

test('a hold that is open for somebody else now has changed, not closed', () => {
  const before = aHold({ assignee: 'ana' })
  const [change] = holdChanges(new Map([[before.id, before]]), [], [aHold({ assignee: 'ben' })])
  expect(change).toMatchObject({ change: 'changed', hold: { assignee: 'ben' } })
})

test('P9: what somebody wrote into a hold hides nothing and is one line', () => {
  const [line] = told(null, { agent: 'a\u202e', tool: 'b\u001b[2K', message: 'x\nclosed  hold_2', arguments: '\u200b' })
  expect(line).toContain('a\\u{202e}')
  expect(line).toContain('b\\u{1b}[2K')
  expect(line).toContain('x\\u{a}closed  hold_2 \\u{200b}')
})

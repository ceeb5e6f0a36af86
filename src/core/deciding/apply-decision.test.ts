import { expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-hold.ts'
import { aDecision } from '../../testing/contracts/sample-journal.ts'
import type { Hold } from '../hold/hold.ts'
import type { Exported } from '../run/exported.ts'
import { applyDecision, type DecisionContext } from './apply-decision.ts'

const NOW = Date.parse('2030-01-01T00:00:00.000Z')
const FREE: DecisionContext = { now: NOW, isRunOver: false, exported: null }
const AWAY: Exported = {
  ...{ bundle_id: 'bundle_1', thread_id: 'th_1', run_id: 'run_1', checkpoint_id: 'cp_1' },
  ...{ exported_at: '2030-01-01T00:00:00.000Z', exported_by: 'ana', surface: 'cli' },
}
const TWO: Partial<Hold> = { deciders: { people: null, not_requester: false, quorum: 2 } }
const byBen = aDecision('approve', { decision_id: 'dec_ben', decided_by: 'ben' })

test('P2: the first decision on an open hold decides it and names the event', () => {
  const decision = aDecision('approve')
  const { receipt, write } = applyDecision(aHold(), decision, FREE)
  expect(receipt).toMatchObject({ outcome: 'recorded', hold: { status: 'decided', decision } })
  expect(write?.event).toMatchObject({
    kind: 'hold.decided',
    data: { hold_id: 'hold_1', status: 'resuming', decision },
  })
})

test('a decision on a hold about no call changes the status of no call', () => {
  const { write } = applyDecision(aHold({ call_id: null }), aDecision('approve'), FREE)
  expect(write?.event.data).toMatchObject({ call_id: null, status: null })
})

test('P2: the same decision again is a duplicate, and writes nothing', () => {
  const decision = aDecision('approve')
  const applied = applyDecision(aHold({ status: 'decided', decision }), decision, { ...FREE, isRunOver: true })
  expect(applied).toMatchObject({ receipt: { outcome: 'duplicate', decision }, write: null })
})

test('P2: another word under the id of a decision is no repetition of it', () => {
  const winner = aDecision('approve')
  const other = aDecision('reject', { decision_id: winner.decision_id })
  const applied = applyDecision(aHold({ status: 'decided', decision: winner }), other, FREE)
  expect(applied).toMatchObject({ receipt: { outcome: 'already_decided', winner }, write: null })
})

test('P2: a later decision gets the winner', () => {
  const winner = aDecision('approve')
  const applied = applyDecision(aHold({ status: 'decided', decision: winner }), byBen, FREE)
  expect(applied).toMatchObject({ receipt: { outcome: 'already_decided', winner }, write: null })
})

const REFUSED: readonly (readonly [
  title: string,
  hold: Partial<Hold>,
  context: Partial<DecisionContext>,
  code: string,
])[] = [
  ['a withdrawn hold', { status: 'withdrawn' }, {}, 'hold_withdrawn'],
  [
    'an expired hold',
    { status: 'expired', decision: aDecision('approve', { decided_by: 'holdpoint' }) },
    {},
    'hold_expired',
  ],
  ['a hold of a thread that moved', { status: 'exported' }, { exported: AWAY }, 'exported'],
  ['a hold that was exported, if nobody knows where to', { status: 'exported' }, {}, 'exported'],
  ['an open hold of a run that is over', {}, { isRunOver: true }, 'run_done'],
  ['an open hold that is due now', { due_at: new Date(NOW).toISOString() }, {}, 'hold_overdue'],
  ['an edit of what several must approve', TWO, {}, 'edit_needs_quorum'],
]

test.each(REFUSED)('%s is refused and stays as it is', (_title, changes, context, code) => {
  const hold = aHold(changes)
  const decision = code === 'edit_needs_quorum' ? aDecision('edit', { decided_by: 'ben' }) : byBen
  const { receipt, write } = applyDecision(hold, decision, { ...FREE, ...context })
  expect(receipt).toMatchObject({ outcome: 'refused', hold, error: { code } })
  expect(write).toBeNull()
})

test('a decision in the last moment counts', () => {
  const hold = aHold({ due_at: new Date(NOW + 1).toISOString() })
  expect(applyDecision(hold, aDecision('approve'), FREE).receipt.outcome).toBe('recorded')
})

test('P1: what time would approve stays for people to decide until it is approved', () => {
  const due_at = new Date(NOW).toISOString()
  const byTime: Partial<Hold> = {
    due_at,
    on_due: 'auto_approve',
    finally: 'auto_approve',
    destructive: false,
    deciders: null,
  }
  expect(applyDecision(aHold(byTime), aDecision('reject'), FREE).receipt.outcome).toBe('recorded')
  const escalates: Partial<Hold> = {
    ...{ ...byTime, on_due: 'escalate' as const },
    escalation: [{ seconds: 60, assignee: 'ben', people: [] }],
  }
  expect(applyDecision(aHold(escalates), aDecision('reject'), FREE).receipt.outcome).toBe('refused')
  expect(applyDecision(aHold({ ...escalates, level: 1 }), aDecision('reject'), FREE).receipt.outcome).toBe('recorded')
})

test('of two approvals the first leaves the hold open, and the second decides it', () => {
  const first = applyDecision(aHold(TWO), aDecision('approve'), FREE)
  expect(first.write).toMatchObject({ hold: { status: 'open', decision: null }, event: { kind: 'hold.voted' } })
  const last = applyDecision(first.write?.hold ?? aHold(), byBen, FREE)
  expect(last.write).toMatchObject({ hold: { status: 'decided', decision: byBen }, event: { kind: 'hold.decided' } })
  expect(last.write?.hold.votes).toHaveLength(2)
})

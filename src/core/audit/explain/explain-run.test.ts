import { describe, expect, test } from 'vitest'
import { aCall, aDecision, aJournal, anEvent } from '../../../testing/contracts/sample-journal.ts'
import type { NewEvent } from '../../journal/event.ts'
import { explainRun } from './explain-run.ts'
import type { ExplainedCall, ExplainedRun } from './explained-run.ts'

function explained(...events: readonly NewEvent[]): ExplainedRun {
  return explainRun('run_1', aJournal([anEvent('run.started'), anEvent('model.answered'), ...events]))!
}

const call = (run: ExplainedRun): ExplainedCall => run.calls[0]!
const passed = (changes = {}) =>
  anEvent('call.gated', { rule: 'default: auto', grant_id: null, approval_id: null, ...changes })
const started = (changes = {}) => anEvent('call.started', changes)
const finished = (changes = {}) => anEvent('call.finished', changes)
const held = (changes = {}) => anEvent('hold.opened', changes)
const decided = (decision = aDecision('approve'), hold_id = 'hold_1') => anEvent('hold.decided', { decision, hold_id })

describe('an effect', () => {
  test('that the rules let pass names the rule', () => {
    const run = explained(passed(), started(), finished())
    expect(call(run).effects).toMatchObject([{ seq: 4, attempt: 1, released: { by: 'policy', rule: 'default: auto' } }])
    expect(run.faults).toEqual([])
  })

  test('that somebody approved names who, when, where and what', () => {
    const decision = aDecision('approve', { decided_by: 'ben', surface: 'web', reason: 'fine', digest: 'sha256:1' })
    const run = explained(held(), decided(decision), started({ digest: 'sha256:1' }), finished())
    expect(call(run).effects[0]?.released).toMatchObject({
      by: 'decision',
      hold_id: 'hold_1',
      verdict: 'approve',
      decided_by: 'ben',
      surface: 'web',
      reason: 'fine',
      digest: 'sha256:1',
      at: '1970-01-01T00:00:04.000Z',
      because: 'default: prompt',
      on_due: null,
      override: false,
      votes: [],
    })
    expect(run.faults).toEqual([])
  })

  test('that policy forbids and somebody released is an override', () => {
    const run = explained(held({ because: 'tools.drop: never' }), decided(), started())
    expect(call(run).effects[0]?.released).toMatchObject({ override: true })
  })

  test('that several had to approve names them all', () => {
    const vote = anEvent('hold.voted', {
      hold_id: 'hold_1',
      call_id: 'call_1',
      decision: aDecision('approve', { decided_by: 'cyd' }),
      have: 1,
      need: 2,
    })
    const run = explained(held(), vote, decided(), started())
    expect(call(run).effects[0]?.released).toMatchObject({ decided_by: 'ana', votes: [{ decided_by: 'cyd', seq: 4 }] })
  })

  test('that a standing grant or an approval in words covers names it', () => {
    expect(call(explained(passed({ grant_id: 'grant_1' }), started())).effects[0]?.released).toMatchObject({
      by: 'grant',
      grant_id: 'grant_1',
    })
    const run = explained(held(), decided(), finished(), passed({ approval_id: 'hold_1' }), started())
    expect(call(run).effects[0]?.released).toMatchObject({ by: 'approval', approved: { decided_by: 'ana' } })
    expect(run.faults).toEqual([])
  })

  test('that was cut off and ran again by itself goes back to what released it first', () => {
    const run = explained(passed(), started(), started({ attempt: 2 }))
    expect(call(run).effects[1]).toMatchObject({ attempt: 2, released: { by: 'repeat', attempt: 1, seq: 4 } })
    expect(run.faults).toEqual([])
  })

  test('that was put back before it began is none, and the next one has its release', () => {
    const run = explained(held(), decided(), started(), anEvent('call.unclaimed', { status: 'resuming' }))
    expect(call(run).effects).toEqual([])
    const again = explained(held(), decided(), started(), anEvent('call.unclaimed', { status: 'resuming' }), started())
    expect(call(again).effects).toMatchObject([{ attempt: 1, released: { by: 'decision', decided_by: 'ana' } }])
    expect(again.faults).toEqual([])
  })

  test('that was in doubt and ran again names who said so', () => {
    const doubt = held({ hold_id: 'hold_2', kind: 'in_doubt', because: 'the process died while it ran', plugin: null })
    const again = decided(aDecision('approve', { decided_by: 'ben' }), 'hold_2')
    const run = explained(passed(), started(), doubt, again, started({ attempt: 2 }))
    expect(call(run).effects[1]?.released).toMatchObject({ by: 'decision', kind: 'in_doubt', decided_by: 'ben' })
  })

  test('that was due and approved by nobody says so', () => {
    const due = anEvent('hold.expired', {
      hold_id: 'hold_1',
      call_id: 'call_1',
      status: 'resuming',
      on_due: 'auto_approve',
      decision: aDecision('approve', { decided_by: 'timer' }),
    })
    expect(call(explained(held(), due, started())).effects[0]?.released).toMatchObject({ on_due: 'auto_approve' })
  })

  test('in a fork is told from those that were only copied', () => {
    const journal = aJournal([
      anEvent('thread.forked'),
      anEvent('run.started'),
      anEvent('model.answered', { calls: [aCall('call_1'), aCall('call_2')] }),
      passed(),
      started(),
      anEvent('checkpoint.named', { checkpoint_id: 'cp_1xyz' }),
      passed({ call_id: 'call_2' }),
      started({ call_id: 'call_2' }),
    ])
    const copied = explainRun('run_1', journal)?.calls.map(({ effects }) => effects[0]?.copied)
    expect(copied).toEqual([true, false])
  })
})

describe('what nothing released', () => {
  test.each<[string, NewEvent[]]>([
    ['was never let pass', []],
    ['was rejected', [held(), decided(aDecision('reject'))]],
    ['waits for a decision', [held()]],
    ['was let pass before a hold opened', [passed(), held()]],
    ['was let pass under other rules', [passed(), anEvent('run.configured', { changes: { tools: [] } })]],
    ['has come to its end', [held(), decided(), finished()]],
    ['has an approval that nobody gave', [passed({ approval_id: 'hold_9' })]],
  ])('is a fault where it ran all the same: a call that %s', (_, events) => {
    const run = explained(...events, started())
    expect(run.faults).toMatchObject([{ call_id: 'call_1', seq: 3 + events.length }])
  })

  test('is a fault where it is not what was approved', () => {
    const run = explained(
      held(),
      decided(aDecision('approve', { digest: 'sha256:1' })),
      started({ digest: 'sha256:2' }),
    )
    expect(run.faults).toMatchObject([{ message: 'What ran is not what was approved: their digests differ.' }])
  })

  test('is a fault where the model never asked for it', () => {
    expect(explained(started({ call_id: 'call_9' })).faults).toMatchObject([{ call_id: 'call_9' }])
  })
})

describe('what did not run', () => {
  test('is a call without effects, with who refused it and how it ended', () => {
    const error = { code: 'TOOL_CALL_REJECTED', message: 'no' }
    const run = explained(held(), decided(aDecision('reject')), finished({ status: 'failed', error }))
    expect(call(run)).toMatchObject({
      effects: [],
      ruled: [{ verdict: 'reject', decided_by: 'ana' }],
      undecided: [],
      finished: { status: 'failed', error: 'TOOL_CALL_REJECTED' },
    })
  })

  test('is a call whose hold was withdrawn, with the cause', () => {
    const run = explained(held(), anEvent('hold.withdrawn'), anEvent('cancel.requested', { by: 'ben' }))
    expect(call(run)).toMatchObject({ effects: [], undecided: [{ withdrawn: 'ana cancelled the run' }] })
    expect(run.cancelled).toMatchObject({ by: 'ben' })
  })
})

test('other runs of the thread are passed over, and an unknown one is not explained', () => {
  const journal = aJournal([
    anEvent('run.started'),
    anEvent('run.finished'),
    anEvent('run.started', {}, 'run_2'),
    anEvent('model.answered', { calls: [aCall('call_2')] }, 'run_2'),
  ])
  expect(explainRun('run_1', journal)).toMatchObject({ calls: [], finished: { termination: { type: 'natural_end' } } })
  expect(explainRun('run_2', journal)).toMatchObject({ finished: null, calls: [{ call_id: 'call_2' }] })
  expect(explainRun('run_3', journal)).toBeNull()
})

import { expect, test } from 'vitest'
import { aCall, aDecision, aHold, aJournal, anEvent } from '../../testing/contracts/sample-journal.ts'
import type { Hold } from '../hold/hold.ts'
import { type HoldFacts, type HoldView, holdView } from './hold-view.ts'

const OPENED = anEvent('hold.opened', { because: 'deploy_*', plugin: 'policy' })
const DECIDERS = { people: ['ana', 'ben'], not_requester: true, quorum: 2 }

function shown(hold: Partial<Hold> = {}, facts: Partial<HoldFacts> = {}, name = 'ana'): HoldView {
  return holdView(
    { hold: aHold(hold), events: aJournal([OPENED]), path: [], answered: [], before: null, stuck: null, ...facts },
    { name, now: Date.parse('2030-01-01T00:00:00.000Z'), refusal: null },
  )
}

test('a hold tells which rule of which plugin opened it', () => {
  expect(shown().because).toEqual({ rule: 'deploy_*', plugin: 'policy' })
  expect(shown({}, { events: [] }).because).toBeNull()
})

test('a view is plain JSON', () => {
  const view = shown({ deciders: DECIDERS, requesters: ['ana'] })
  expect(JSON.parse(JSON.stringify(view))).toEqual(view)
})

test('each verdict that a hold takes says what it does, and why the viewer may not give it', () => {
  const { verdicts, may_decide } = shown({ deciders: DECIDERS, requesters: ['ana'] })
  expect(verdicts.map(({ verdict, refusal }) => [verdict, refusal?.code ?? null])).toEqual([
    ['approve', 'is_requester'],
    ['reject', null],
    ['edit', 'is_requester'],
    ['cancel', null],
  ])
  expect(verdicts[1]).toMatchObject({ means: 'refuses it' })
  expect(may_decide).toMatchObject({ code: 'is_requester', message: expect.stringContaining('ana asked') })
})

test('a viewer who approved already is told so, and how many approvals there are', () => {
  const view = shown({ deciders: DECIDERS, requesters: ['dora'], votes: [aDecision('approve', { decided_by: 'ana' })] })
  expect(view.may_decide).toMatchObject({ code: 'already_voted' })
  expect(view.approvals).toEqual({ have: 1, need: 2 })
  expect(
    shown({ deciders: DECIDERS, requesters: ['dora'], votes: [aDecision('approve', { decided_by: 'ben' })] })
      .may_decide,
  ).toBe(true)
})

test('a question is decided by an answer, though nothing of it can be approved', () => {
  const question = { kind: 'question', call_id: 'call_1' } as const
  expect(shown(question).may_decide).toBe(true)
  expect(shown({ ...question, deciders: { ...DECIDERS, people: ['ben', 'eve'] } }).may_decide).toMatchObject({
    code: 'not_a_decider',
  })
})

test('what happens at the deadline is told without the time, for a surface that counts down', () => {
  const due = { due_at: '2030-01-01T02:00:00.000Z', on_due: 'reject' } as const
  expect(shown(due)).toMatchObject({ at_deadline: expect.stringContaining('in 2 h'), deadline_effect: 'rejected' })
  expect(shown({ due_at: null }).deadline_effect).toBeNull()
})

test('a hold that is not open any more takes nothing', () => {
  const view = shown({ status: 'decided', decision: aDecision('approve') })
  expect([view.verdicts, view.may_decide, view.at_deadline, view.deadline_effect]).toEqual([[], null, null, null])
})

test('the other calls of a batch are shown as they stand, with what the agent said', () => {
  const events = aJournal([
    anEvent('model.answered', {
      text: 'Three things.',
      calls: ['call_1', 'call_2', 'call_3', 'call_4'].map(id => aCall(id)),
    }),
    OPENED,
    anEvent('hold.opened', { hold_id: 'hold_2', call_id: 'call_2' }),
    anEvent('call.finished', { call_id: 'call_3', status: 'succeeded' }),
    anEvent('hold.opened', { hold_id: 'hold_4', call_id: 'call_4' }),
    anEvent('hold.decided', { hold_id: 'hold_4', call_id: 'call_4', decision: aDecision('reject') }),
    anEvent('call.finished', { call_id: 'call_4', status: 'failed' }),
    anEvent('model.answered', { text: 'Later.', calls: [aCall('call_9')] }),
  ])
  expect(shown({}, { events })).toMatchObject({
    agent_message: 'Three things.',
    siblings: [
      { call_id: 'call_2', tool: 'work', arguments: { of: 'call_2' }, status: 'suspended', hold_id: 'hold_2' },
      { call_id: 'call_3', status: 'succeeded', hold_id: null, is_rejected: false },
      { call_id: 'call_4', status: 'failed', hold_id: 'hold_4', is_rejected: true },
    ],
    siblings_before: 0,
  })
})

test('P9: a call that is held again shows what changed since the hold before it, also behind an edit', () => {
  const before = aHold({ id: 'hold_0', decision: aDecision('edit', { arguments: { of: 'other' } }) })
  expect(shown({}, { before }).asked_before).toEqual({
    hold_id: 'hold_0',
    differences: [{ path: 'arguments.of', was: 'other', is: 'call_1' }],
  })
  expect(shown().asked_before).toBeNull()
})

test('P9: what an approver edited is shown place by place', () => {
  const decision = aDecision('edit', { arguments: { of: 'less' } })
  expect(shown({ status: 'decided', decision }).edited).toEqual([{ path: 'arguments.of', was: 'call_1', is: 'less' }])
})

test('only questions that were answered before count as earlier answers', () => {
  const answered = [
    aHold({ id: 'q1', message: 'Where?', decision: aDecision('respond', { value: 'eu' }) }),
    aHold({ id: 'q2', message: 'When?', decision: aDecision('reject') }),
  ]
  expect(shown({}, { answered }).earlier_answers).toMatchObject([{ hold_id: 'q1', question: 'Where?', answer: 'eu' }])
})

import { describe, expect, test } from 'vitest'
import { aCall, aDecision, aJournal, anEvent, EVENT_KINDS, tokens } from '../../testing/contracts/sample-journal.ts'
import type { DecisionVerdict } from '../hold/decision.ts'
import { RESUME_MODES, type ResumeMode } from '../hold/hold.ts'
import { releaseOf } from '../hold/release.ts'
import { NO_COUNTERS } from '../run/stop-condition.ts'
import type { EventData, EventKind, JournalEvent, NewEvent } from './event.ts'
import { apply, emptyThread, fold } from './fold.ts'
import type { Thread } from './thread.ts'

test.each(['run.stopped', 'toString', '__proto__', 'constructor', ''])('an event of the kind %j is unknown', kind => {
  const event = { seq: 1, at: '', thread_id: 'th_1', run_id: 'run_1', kind, data: {} } as unknown as JournalEvent
  expect(() => fold('th_1', [event])).toThrow(`event 1 (${kind}) is of an unknown kind`)
})

test('a journal without events is corrupt, never an empty conversation', () => {
  expect(() => fold('th_1', [])).toThrow(expect.objectContaining({ code: 'corrupt_journal' }))
})

/** A run that has come as far as its first answer, with one call. */
const BEGUN = [anEvent('run.started'), anEvent('step.started'), anEvent('model.answered')]
const asksForText = anEvent('hold.opened', { kind: 'input', call_id: null, status: null })
const [opened, decided, withdrawn] = [anEvent('hold.opened'), anEvent('hold.decided'), anEvent('hold.withdrawn')]
const [gated, started, finished] = [anEvent('call.gated'), anEvent('call.started'), anEvent('call.finished')]
const cancelled = anEvent('call.finished', { status: 'cancelled' })

function aThread(events: readonly NewEvent[]): Thread {
  const thread = emptyThread('th_1')
  for (const event of aJournal(events)) apply(thread, event)
  return thread
}

const ILLEGAL: readonly (readonly [what: string, before: readonly NewEvent[], event: NewEvent, detail: string])[] = [
  ['anything before a run started', [], anEvent('run.finished'), 'no run has started'],
  [
    'a second run before the first one finished',
    BEGUN,
    anEvent('run.started', {}, 'run_2'),
    'run run_1 is not finished',
  ],
  ['a second end', [BEGUN[0]!, anEvent('run.finished')], anEvent('run.finished'), 'run run_1 is finished already'],
  ['an answer inside a step', BEGUN, anEvent('model.answered', { calls: [] }), 'step 1 has not ended'],
  ['a step inside a step', BEGUN, anEvent('step.started'), 'step 1 has not ended'],
  ['the end of a step with a call that is open', BEGUN, anEvent('step.ended'), 'call call_1 is new'],
  [
    'the end of a step of which only the last call is open',
    [
      ...BEGUN.slice(0, 2),
      anEvent('model.answered', { calls: [aCall('call_0'), aCall('call_1')] }),
      anEvent('call.finished', { call_id: 'call_0' }),
    ],
    anEvent('step.ended'),
    'call call_1 is new',
  ],
  ['the end of a step between two steps', BEGUN.slice(0, 1), anEvent('step.ended'), 'run run_1 has no step under way'],
  ['the end of a run inside a step', BEGUN, anEvent('run.finished'), 'step 1 has not ended'],
  [
    'a call of no step',
    BEGUN,
    anEvent('call.gated', { call_id: 'call_9' }),
    'call call_9 is not one of the step under way',
  ],
  [
    'a call with the id of an earlier one',
    [...BEGUN, finished, anEvent('step.ended')],
    anEvent('model.answered'),
    'there is a call call_1 already',
  ],
  [
    'two calls with one id',
    BEGUN.slice(0, 2),
    anEvent('model.answered', { calls: [aCall('a'), aCall('b'), aCall('a')] }),
    'there is a call a already',
  ],
  ['P1: the start of a call that nobody let pass', BEGUN, started, 'call call_1 was let pass by nobody'],
  [
    'P1: the start of a call that was let pass under other rules',
    [...BEGUN, gated, anEvent('run.configured', { changes: { workdir: '/else' } })],
    started,
    'call call_1 was let pass by nobody',
  ],
  [
    'P1: the start of a call that was rejected',
    [...BEGUN, opened, anEvent('hold.decided', { decision: aDecision('reject') })],
    started,
    'call call_1 was let pass by nobody',
  ],
  [
    'P1: the start of a call that is held',
    [...BEGUN, opened],
    started,
    'call_1 is suspended and cannot become running',
  ],
  ['a decision on a hold that was never opened', BEGUN, decided, 'hold hold_1 was never opened'],
  ['P2: a second decision on a hold', [...BEGUN, opened, decided], decided, 'hold hold_1 is decided already'],
  ['a decision on a hold that was withdrawn', [...BEGUN, opened, withdrawn], decided, 'hold hold_1 is withdrawn'],
  ['a second withdrawal', [...BEGUN, opened, withdrawn], withdrawn, 'hold hold_1 is withdrawn'],
  ['the withdrawal of what is decided', [...BEGUN, opened, decided], withdrawn, 'hold hold_1 is decided already'],
  [
    'a decision on a call that is over',
    [...BEGUN, opened, cancelled],
    decided,
    'is cancelled and cannot become resuming',
  ],
  ['a hold that was opened before', [...BEGUN, opened, decided], opened, 'hold hold_1 was opened before'],
  ['a second hold of a call', [...BEGUN, opened], anEvent('hold.opened', { hold_id: 'hold_2' }), 'hold hold_1 is open'],
  [
    'a second text pause',
    [BEGUN[0]!, asksForText],
    anEvent('hold.opened', { hold_id: 'hold_2', kind: 'input', call_id: null }),
    'hold hold_1 is open',
  ],
  ['a text pause inside a step', BEGUN, asksForText, 'step 1 has not ended'],
  [
    'a text pause about a call',
    BEGUN,
    anEvent('hold.opened', { kind: 'input' }),
    'a hold of kind input is about call_1',
  ],
  [
    'an approval of no call',
    BEGUN.slice(0, 1),
    anEvent('hold.opened', { call_id: null }),
    'a hold of kind approval is about no call',
  ],
  [
    'a step that leaves an open hold behind',
    [...BEGUN, opened, cancelled, anEvent('step.ended')],
    anEvent('step.started'),
    'hold hold_1 is open',
  ],
  [
    'an answer that leaves an open hold behind',
    [BEGUN[0]!, asksForText],
    anEvent('model.answered'),
    'hold hold_1 is open',
  ],
  ['the end of a run with an open hold', [BEGUN[0]!, asksForText], anEvent('run.finished'), 'hold hold_1 is open'],
  ['a claim given back that nobody had', [...BEGUN, gated], anEvent('call.unclaimed'), 'is new, so it has no claim'],
  [
    'a claim given back to a decision that nobody made',
    [...BEGUN, gated, started],
    anEvent('call.unclaimed', { status: 'resuming' }),
    'was not resuming before',
  ],
  ['the delivery of what nobody said', BEGUN.slice(0, 1), anEvent('message.delivered'), '0 messages were queued'],
  [
    'the delivery of no message',
    [BEGUN[0]!, anEvent('message.queued')],
    anEvent('message.delivered', { count: 0 }),
    '1 messages were queued',
  ],
]

test.each(ILLEGAL)('%s makes a journal corrupt, and the error says where and why', (_what, before, event, detail) => {
  const seq = before.length + 1
  expect(() => fold('th_1', aJournal([...before, event]))).toThrow(
    expect.objectContaining({
      code: 'corrupt_journal',
      message: expect.stringMatching(new RegExp(`event ${seq} \\(${event.kind}\\) does not fit: .*${detail}`)),
    }),
  )
})

test.each(ILLEGAL)('%s changes nothing', (_what, before, event) => {
  const thread = aThread(before)
  const copy = structuredClone(thread)
  expect(() => apply(thread, aJournal([event], before.length)[0]!)).toThrow()
  expect(thread).toStrictEqual(copy)
})

test.each([0, 1, 3])('an event at place %i behind one event is out of place', seq => {
  const [event] = aJournal([anEvent('note')], seq - 1)
  expect(() => apply(aThread(BEGUN.slice(0, 1)), event!)).toThrow(`event ${seq} (note) follows event 1`)
})

/** What the state is made of: where it is missing, the journal is not guessed at. */
const NEEDS: { readonly [K in EventKind]?: readonly (keyof EventData[K])[] } = {
  'run.started': ['profile'],
  'run.configured': ['changes'],
  'message.received': ['content', 'author'],
  'message.queued': ['content', 'author', 'supersede'],
  'message.delivered': ['count'],
  'cancel.requested': ['by', 'reason'],
  'plugin.set': ['plugin', 'state'],
  'model.answered': ['text', 'calls', 'usage'],
  'call.gated': ['call_id'],
  'call.started': ['call_id', 'attempt'],
  'call.finished': ['call_id', 'status', 'output', 'error'],
  'hold.opened': ['hold_id', 'kind', 'call_id', 'digest', 'because'],
  'hold.decided': ['hold_id', 'decision'],
  'hold.withdrawn': ['hold_id'],
  'checkpoint.named': ['checkpoint_id', 'reason'],
  'run.ending': ['termination'],
  'run.finished': ['termination'],
}
const INCOMPLETE = EVENT_KINDS.flatMap(kind => (NEEDS[kind] ?? []).map(name => ({ kind, name: String(name) })))

test.each(INCOMPLETE)('$kind without its $name makes a journal corrupt', ({ kind, name }) => {
  const { [name]: _, ...data } = anEvent(kind).data as unknown as Record<string, unknown>
  const event = { ...anEvent(kind), data } as unknown as NewEvent
  expect(() => fold('th_1', aJournal([event]))).toThrow(`event 1 (${kind}) does not fit: it has no ${name}`)
})

test('an edited call is told to the model with both arguments and who edited it', () => {
  const edit = aDecision('edit', { arguments: { to: 'b' } })
  const { messages } = aThread([
    ...BEGUN,
    opened,
    anEvent('hold.decided', { decision: edit }),
    started,
    finished,
    anEvent('step.ended'),
  ])
  expect(messages.at(-1)).toMatchObject({
    content: {
      original_arguments: { of: 'call_1' },
      executed_arguments: { to: 'b' },
      result: 'done',
      note: expect.stringContaining('ana'),
    },
  })
})

test('P10: of a call that was edited twice the model is told who edited it last', () => {
  const by = (decided_by: string, hold_id: string) =>
    anEvent('hold.decided', { hold_id, decision: aDecision('edit', { decided_by, arguments: { by: decided_by } }) })
  const { messages } = aThread([
    ...BEGUN,
    opened,
    by('ana', 'hold_1'),
    anEvent('hold.opened', { hold_id: 'hold_2' }),
    by('ben', 'hold_2'),
    started,
    finished,
    anEvent('step.ended'),
  ])
  expect(messages.at(-1)).toMatchObject({
    content: { executed_arguments: { by: 'ben' }, note: expect.stringContaining('ben') },
  })
})

const RELEASES = (['approve', 'reject', 'edit', 'cancel'] as DecisionVerdict[]).flatMap(verdict =>
  RESUME_MODES.map(mode => ({ verdict, mode })),
)

test.each(RELEASES)('P1: after $verdict with $mode a held call starts exactly where it may', ({ verdict, mode }) => {
  const decision = aDecision(verdict)
  const thread = aThread([
    ...BEGUN,
    anEvent('hold.opened', { resume_mode: mode }),
    anEvent('hold.decided', { decision }),
  ])
  const start = () => apply(thread, aJournal([started], thread.seq)[0]!)
  if (releaseOf('approval', decision, mode as ResumeMode).act === 'run') expect(start).not.toThrow()
  else expect(start).toThrow('call call_1 was let pass by nobody')
})

test.each([
  ['new', [gated]],
  ['resuming', [opened, decided]],
] as const)('P3: a call whose claim was given back is %s again, never began, and may run', (status, let_pass) => {
  const events = [...BEGUN, ...let_pass, started, anEvent('call.unclaimed', { status })]
  expect(aThread(events).run?.step?.calls.get('call_1')).toMatchObject({ status, attempt: 0 })
  expect(aThread([...events, started]).run?.step?.calls.get('call_1')).toMatchObject({ status: 'running', attempt: 1 })
})

test('P2: the digest of a rejected call is kept, with the reason', () => {
  const decision = aDecision('reject', { reason: 'too late' })
  const { run } = aThread([...BEGUN, opened, anEvent('hold.decided', { decision })])
  expect([...(run?.rejected ?? [])]).toEqual([['sha256:1', 'too late']])
})

test('what a run configures is asked anew of calls that were let pass under other settings, and of no others', () => {
  const events = [...BEGUN, gated]
  const allowed = (changes: object) =>
    aThread([...events, anEvent('run.configured', { changes })]).run?.step?.calls.get('call_1')?.allowed
  expect(allowed({ instructions: 'Be brief.' })).toBe(true)
  for (const name of ['agent_file', 'tools', 'policy', 'pause_on', 'workdir']) {
    expect(allowed({ [name]: null }), name).toBe(false)
  }
})

test('what was said while a run went on waits for the next one where that one never heard it', () => {
  const events = [anEvent('run.started'), anEvent('message.queued'), anEvent('run.finished')]
  const { run, messages } = aThread([
    ...events,
    anEvent('run.started', {}, 'run_2'),
    anEvent('message.delivered', {}, 'run_2'),
  ])
  expect(run?.queue).toEqual([])
  expect(messages).toEqual([{ role: 'user', content: 'And then?', author: null }])
})

test.each(['question', 'client_tool', 'in_doubt'] as const)(
  'to reject a hold of kind %s rejects no later call',
  kind => {
    const rejected = anEvent('hold.decided', { decision: aDecision('reject') })
    expect(aThread([...BEGUN, anEvent('hold.opened', { kind }), rejected]).run?.rejected.size).toBe(0)
  },
)

test('P5: a failure is told to the model as one, and a result as a result', () => {
  const failed = anEvent('call.finished', { status: 'failed', output: null, error: { code: 'E', message: 'broken' } })
  const results = [failed, finished].map(end => aThread([...BEGUN, end, anEvent('step.ended')]).messages.at(-1))
  expect(results).toMatchObject([
    { role: 'tool', content: 'E: broken', is_error: true },
    { role: 'tool', content: 'done', is_error: false },
  ])
})

test('the newest checkpoint is known, and the newest one that people were told of', () => {
  const { run } = aThread([
    anEvent('run.started'),
    anEvent('checkpoint.named', { checkpoint_id: 'cp_1', reason: 'pause', active_ms: 10 }),
    anEvent('checkpoint.named', { checkpoint_id: 'cp_2', reason: 'step', active_ms: 20 }),
  ])
  expect(run?.checkpoint).toEqual({ id: 'cp_2', seq: 3, reason: 'step' })
  expect(run?.announced).toEqual({ id: 'cp_1', seq: 2, reason: 'pause' })
  expect(run?.counters.active_ms).toBe(20)
})

describe('budgets', () => {
  const worked = [
    anEvent('run.started'),
    anEvent('step.started'),
    anEvent('model.answered', { calls: [], usage: tokens(9) }),
    anEvent('step.ended'),
    anEvent('checkpoint.named', { active_ms: 20 }),
  ]
  const used = (...events: readonly NewEvent[]) => aThread([...worked, ...events]).run?.counters.used_before
  const spent = { rounds: 1, total_tokens: 9, active_ms: 20 }
  const answer = anEvent('hold.decided', { call_id: null, decision: aDecision('respond') })

  test.each([
    ['a message that is received', [anEvent('message.received')], spent],
    ['a message that is delivered', [anEvent('message.queued'), anEvent('message.delivered')], spent],
    ['an answer to a text', [asksForText, answer], spent],
    ['a message after more work', [anEvent('message.received', { active_ms: 25 })], { ...spent, active_ms: 25 }],
    ['a message that is queued', [anEvent('message.queued')], NO_COUNTERS.used_before],
    ['a message of a plugin', [anEvent('message.received', { forced_by: 'p' })], NO_COUNTERS.used_before],
  ])('begin where they begin: %s', (_what, events, expected) => {
    expect(used(...events)).toEqual(expected)
  })
})

describe('a run that follows another one', () => {
  const used_before = { rounds: 1, total_tokens: 2, active_ms: 3 }
  const counters = {
    active_ms: 7,
    used_before,
    errors_in_row: 2,
    pauses: 1,
    refused_in_row: { 'A b': 1 },
    recent_calls: ['a', 'b'],
  }
  const before = [anEvent('run.started'), anEvent('plugin.set', { state: { n: 1 } }), anEvent('run.finished')]
  const carried = { run_id: 'run_1', steps: 4, usage: tokens(9), counters }

  test('goes on with the budgets and the state of plugins that it brings along', () => {
    const { run } = aThread([...before, anEvent('run.started', { carried }, 'run_2')])
    expect(run).toMatchObject({ steps: 4, usage: tokens(9), counters })
    expect([...(run?.plugin_states ?? [])]).toEqual([['counter', { n: 1 }]])
  })

  test('begins anew where it brings nothing along', () => {
    const { run } = aThread([...before, anEvent('run.started', {}, 'run_2')])
    expect(run).toMatchObject({ steps: 0, usage: tokens(0), counters: NO_COUNTERS })
    expect(run?.plugin_states.size).toBe(0)
  })
})

test('what plugins made a run do is counted since somebody last said something', () => {
  const forced = (...events: readonly NewEvent[]) => aThread([anEvent('run.started'), ...events]).run?.forced
  const byPlugin = anEvent('message.received', { forced_by: 'p' })
  const answered = anEvent('model.answered', { forced_by: 'p' })
  expect(forced(byPlugin, byPlugin)).toBe(2)
  expect(forced(byPlugin, anEvent('step.started'), answered)).toBe(2)
  expect(forced(byPlugin, anEvent('message.received'))).toBe(0)
  expect(forced(byPlugin, anEvent('message.queued'))).toBe(1)
  expect(forced(byPlugin, anEvent('message.queued'), anEvent('message.delivered'))).toBe(0)
  const answer = anEvent('hold.decided', { call_id: null, decision: aDecision('respond') })
  expect(forced(byPlugin, asksForText, answer)).toBe(0)
})

test('what was let pass and is running is not asked about anew', () => {
  const configured = anEvent('run.configured', { changes: { workdir: '/else' } })
  const { run } = aThread([...BEGUN, gated, started, configured])
  expect(run?.step?.calls.get('call_1')).toMatchObject({ status: 'running', allowed: true })
})

/** Journals for tests; fields that a test does not name are filled in. */
import type { Decision, DecisionVerdict } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import {
  type EventData,
  type EventKind,
  type JournalEvent,
  type JournalledCall,
  type NewEvent,
  type PlainEvent,
  plainEvent,
} from '../../core/journal/event.ts'
import { NO_TIMING } from '../../core/people/due.ts'
import { DEFAULT_POLICY } from '../../core/policy/read-policy.ts'
import type { Profile } from '../../core/run/profile.ts'

export function aProfile(changes: Partial<Profile> = {}): Profile {
  return {
    agent: 'tester',
    agent_file: null,
    model: 'script:test',
    instructions: null,
    tools: null,
    policy: DEFAULT_POLICY,
    pause_on: ['approval', 'question', 'input'],
    hold_scope: 'batch',
    max_concurrent_calls: 1,
    stop: [],
    project: '/',
    workdir: '/',
    due: { seconds: null },
    deciders: null,
    groups: {},
    approval_answers: 'tolerant',
    ...changes,
  }
}

/** Complete where its verdict needs more. */
export function aDecision(verdict: DecisionVerdict, changes: Partial<Decision> = {}): Decision {
  return {
    decision_id: 'dec_1',
    verdict,
    arguments: verdict === 'edit' ? { edited: true } : null,
    value: verdict === 'respond' ? 'an answer' : null,
    reason: null,
    digest: null,
    decided_by: 'ana',
    surface: 'test',
    at: '2030-01-01T00:00:00.000Z',
    grant: null,
    ...changes,
  }
}

/** An open approval of call `call_1` that is never due. */
export function aHold(changes: Partial<Hold> = {}): Hold {
  return {
    id: 'hold_1',
    kind: 'approval',
    status: 'open',
    run_id: 'run_1',
    thread_id: 'th_1',
    agent: 'tester',
    call_id: 'call_1',
    tool: 'work',
    arguments: { of: 'call_1' },
    digest: 'sha256:1',
    message: 'May work run?',
    context: null,
    choices: null,
    response_schema: null,
    resume_mode: 'replay_tool_call',
    tool_schema: { type: 'object' },
    destructive: false,
    deciders: null,
    requesters: [],
    ...NO_TIMING,
    opened_at: '2030-01-01T00:00:00.000Z',
    level: 0,
    reminded: 0,
    votes: [],
    decision: null,
    ...changes,
  }
}

export function aCall(id: string, changes: Partial<JournalledCall> = {}): JournalledCall {
  return { id, name: 'work', arguments: { of: id }, provider_id: null, metadata: null, ...changes }
}

/** Tokens, all of them in. */
export function tokens(input_tokens: number): EventData['model.answered']['usage'] {
  return { input_tokens, output_tokens: 0, total_tokens: input_tokens }
}

const USUAL: EventData = {
  'thread.forked': { thread_id: 'th_0', checkpoint_id: 'cp_0' },
  'run.started': { profile: aProfile(), carried: null, pinned: null },
  'run.configured': { changes: { instructions: 'Be brief.' } },
  'message.received': { content: 'Go.', author: null, forced_by: null },
  'message.queued': { content: 'And then?', author: null, supersede: false },
  'message.delivered': { count: 1 },
  'cancel.requested': { by: 'ana', reason: null },
  'phase.passed': { phase: 'run_start' },
  'plugin.set': { plugin: 'counter', state: { n: 1 } },
  'step.started': { step: 1 },
  'model.answered': {
    text: '',
    calls: [aCall('call_1')],
    usage: tokens(1),
    model: 'script:test',
    finish_reason: 'stop',
    forced_by: null,
  },
  'answer.asked_again': { because: 'length', message: 'Answer again.' },
  'model.unavailable': {
    code: 'model_overloaded',
    message: 'Overloaded.',
    since: '2030-01-01T00:00:00.000Z',
    failures: 1,
    retry_at: '2030-01-01T00:00:05.000Z',
  },
  'model.switched': { from: 'test/one', to: 'test/two', code: 'model_overloaded', message: 'Overloaded.' },
  'context.repaired': {
    provider: 'anthropic',
    because: 'image',
    what: { type: 'part', message: 0, part: 1 },
    label: 'the picture a.png in a message of ana',
    why: 'Could not process image',
  },
  'compaction.requested': { by: 'ana', keep: null },
  'context.compacted': {
    ...{ from: 0, to: 1, what: 'results', keep: 400, summary: null },
    ...{ tokens_before: 84_000, tokens_after: 12_000 },
  },
  'call.gated': { call_id: 'call_1', rule: 'default: auto', grant_id: null, approval_id: null },
  'call.started': { call_id: 'call_1', status: 'running', attempt: 1, idempotency_key: 'key-1', digest: null },
  'call.unclaimed': { call_id: 'call_1', status: 'new' },
  'call.cut_off': { call_id: 'call_1', status: 'running', because: 'it was stopped', said: null },
  'call.finished': { call_id: 'call_1', status: 'succeeded', output: 'done', error: null },
  'hold.opened': {
    hold_id: 'hold_1',
    kind: 'approval',
    call_id: 'call_1',
    status: 'suspended',
    digest: 'sha256:1',
    because: 'default: prompt',
    plugin: 'policy',
    resume_mode: 'replay_tool_call',
  },
  'hold.decided': { hold_id: 'hold_1', call_id: 'call_1', status: 'resuming', decision: aDecision('approve') },
  'hold.voted': { hold_id: 'hold_1', call_id: 'call_1', decision: aDecision('approve'), have: 1, need: 2 },
  'hold.unclear': { hold_id: 'hold_1', call_id: 'call_1', by: 'ana', surface: 'test', text: 'hm' },
  'hold.assigned': { hold_id: 'hold_1', call_id: 'call_1', assignee: 'ben', by: 'ana', surface: 'test', reason: null },
  'hold.reminded': {
    hold_id: 'hold_1',
    call_id: 'call_1',
    number: 1,
    remind_at: '2030-01-01T01:00:00.000Z',
    assignee: null,
  },
  'hold.escalated': {
    hold_id: 'hold_1',
    call_id: 'call_1',
    level: 1,
    assignee: 'eve',
    due_at: '2030-01-02T00:00:00.000Z',
  },
  'hold.expired': {
    hold_id: 'hold_1',
    call_id: 'call_1',
    status: 'resuming',
    on_due: 'cancel',
    decision: aDecision('cancel', { decided_by: 'holdpoint', surface: 'deadline' }),
  },
  'hold.withdrawn': { hold_id: 'hold_1', call_id: 'call_1', because: 'ana cancelled the run' },
  'step.ended': { step: 1 },
  'checkpoint.named': { checkpoint_id: 'cp_1', reason: 'step', active_ms: 0 },
  'run.ending': { termination: { type: 'natural_end' } },
  'run.finished': { termination: { type: 'natural_end' } },
  note: { about: 'test', message: 'Nothing changes.' },
}

export const EVENT_KINDS: readonly EventKind[] = Object.keys(USUAL) as EventKind[]

/** An event of run `run_1` about call `call_1` and hold `hold_1`, unless `data` has others. */
export function anEvent<K extends EventKind>(kind: K, data: Partial<EventData[K]> = {}, run_id = 'run_1'): PlainEvent {
  return plainEvent({ kind, run_id, data: { ...USUAL[kind], ...data } } as NewEvent)
}

/** The events in their places, on thread `th_1`, after the first `before` events. */
export function aJournal(events: readonly NewEvent[], before = 0): JournalEvent[] {
  return events.map((event, index) => {
    const seq = before + index + 1
    return { ...event, seq, at: new Date(seq * 1_000).toISOString(), thread_id: 'th_1' }
  })
}

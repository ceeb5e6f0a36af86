/**
 * A run over time, from its journal: what its model, its tools and its people each took. Waits are drawn to scale from it,
 * so everything has the time at which it began.
 */
import type { Amount } from '../count.ts'
import type { Decision } from '../hold/decision.ts'
import type { HoldKind } from '../hold/hold.ts'
import type { EventKind, JournalEvent } from '../journal/event.ts'
import type { Termination } from '../run/termination.ts'
import type { CallStatus } from '../run/tool-call.ts'
import { addUsage, NO_USAGE, type Usage } from '../run/usage.ts'

/** A part of a run. */
interface Span {
  /** ISO time. */
  readonly started_at: string
  /** ISO time; `null` while it lasts. */
  readonly ended_at: string | null
}

/** The model, from the question to the answer. */
export interface ModelSpan extends Span {
  readonly kind: 'model'
  /** From 1. */
  readonly step: Amount
  readonly model: string
  readonly text: string
  /** The names of the tools that it called. */
  readonly called: readonly string[]
  readonly usage: Usage
  readonly finish_reason: string
}

/** A tool, each time that it ran. */
export interface CallSpan extends Span {
  readonly kind: 'call'
  readonly step: Amount
  readonly call_id: string
  readonly tool: string
  /** From 1. */
  readonly attempt: Amount
  readonly status: CallStatus
  /** The code of its error; `null` if there is none. */
  readonly error: string | null
}

/** People, from the question to the decision. */
export interface WaitSpan extends Span {
  readonly kind: 'wait'
  readonly step: Amount
  readonly hold_id: string
  readonly hold_kind: HoldKind
  readonly call_id: string | null
  readonly tool: string | null
  /** The end of it; `null` while it is open. */
  readonly outcome: 'decided' | 'expired' | 'withdrawn' | null
  readonly verdict: Decision['verdict'] | null
  /** The decider. */
  readonly by: string | null
}

export type TimelineSpan = ModelSpan | CallSpan | WaitSpan

/** A message that reached the run, at ISO time `at`. */
export interface TimelineMessage {
  readonly at: string
  readonly seq: Amount
  readonly author: string | null
}

export interface RunTimeline extends Span {
  readonly run_id: string
  readonly thread_id: string
  readonly agent: string
  readonly steps: Amount
  readonly usage: Usage
  readonly termination: Termination | null
  /** By the time at which they began. */
  readonly spans: readonly TimelineSpan[]
  readonly messages: readonly TimelineMessage[]
}

type EventOf<K extends EventKind> = Extract<JournalEvent, { kind: K }>
type Draft<S> = { -readonly [K in keyof S]: S[K] }
type OpenSpan = Draft<ModelSpan> | Draft<CallSpan> | Draft<WaitSpan>

class Drawing {
  readonly spans: OpenSpan[] = []
  readonly messages: TimelineMessage[] = []
  readonly tools = new Map<string, string>()
  usage = NO_USAGE
  step = 0
  termination: Termination | null = null
  ended_at: string | null = null
  /** A checkpoint is named right before a model is asked. */
  asked_at: string

  constructor(started_at: string) {
    this.asked_at = started_at
  }

  openCall(callId: string): Draft<CallSpan> | undefined {
    return this.spans.findLast(
      (span): span is Draft<CallSpan> => span.kind === 'call' && span.call_id === callId && span.ended_at === null,
    )
  }

  openWait(holdId: string): Draft<WaitSpan> | undefined {
    return this.spans.findLast((span): span is Draft<WaitSpan> => span.kind === 'wait' && span.hold_id === holdId)
  }
}

/** `null` if the journal has no such run. */
export function runTimeline(runId: string, events: readonly JournalEvent[]): RunTimeline | null {
  const own = events.filter(({ run_id }) => run_id === runId)
  const started = own.find(({ kind }) => kind === 'run.started')
  if (started?.kind !== 'run.started') return null
  const drawing = new Drawing(started.at)
  for (const event of own) (CELLS[event.kind] as Cell<EventKind> | undefined)?.(drawing, event)
  const { usage, step: steps, termination, ended_at, spans, messages } = drawing
  return {
    ...{ run_id: runId, thread_id: started.thread_id, agent: started.data.profile.agent },
    ...{ started_at: started.at, ended_at, steps, usage, termination },
    spans: spans.toSorted((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at)),
    messages,
  }
}

type Cell<K extends EventKind> = (drawing: Drawing, event: EventOf<K>) => void

const CELLS: { readonly [K in EventKind]?: Cell<K> } = {
  'checkpoint.named': (drawing, { at }) => {
    drawing.asked_at = at
  },
  'step.started': (drawing, { data }) => {
    drawing.step = data.step
  },
  'message.received': received,
  'message.queued': received,
  'model.answered': answered,
  'call.started': callStarted,
  'call.unclaimed': ({ spans }, { data: { call_id } }) => {
    const last = spans.findLastIndex(span => span.kind === 'call' && span.call_id === call_id)
    if (last >= 0) spans.splice(last, 1)
  },
  'call.finished': callFinished,
  'hold.opened': waitOpened,
  'hold.decided': (drawing, { at, data: { hold_id, decision } }) =>
    endWait(drawing.openWait(hold_id), { at, outcome: 'decided', decision }),
  'hold.expired': (drawing, { at, data: { hold_id, decision } }) =>
    endWait(drawing.openWait(hold_id), { at, outcome: 'expired', decision }),
  'hold.withdrawn': (drawing, { at, data: { hold_id } }) =>
    endWait(drawing.openWait(hold_id), { at, outcome: 'withdrawn', decision: null }),
  'run.finished': (drawing, { at, data: { termination } }) => {
    drawing.termination = termination
    drawing.ended_at = at
  },
}

function received(drawing: Drawing, { at, seq, data }: EventOf<'message.received' | 'message.queued'>): void {
  drawing.messages.push({ at, seq, author: data.author })
}

function answered(drawing: Drawing, { at, data }: EventOf<'model.answered'>): void {
  const { text, calls, usage, model, finish_reason } = data
  drawing.usage = addUsage(drawing.usage, usage)
  for (const { id, name } of calls) drawing.tools.set(id, name)
  drawing.spans.push({
    ...{ kind: 'model', step: drawing.step, started_at: drawing.asked_at, ended_at: at },
    ...{ model, text, called: calls.map(({ name }) => name), usage, finish_reason },
  })
}

function callStarted(drawing: Drawing, { at, data: { call_id, attempt } }: EventOf<'call.started'>): void {
  const tool = drawing.tools.get(call_id) ?? ''
  drawing.spans.push({
    ...{ kind: 'call', step: drawing.step, started_at: at, ended_at: null },
    ...{ call_id, tool, attempt, status: 'running', error: null },
  })
}

/** A call that was rejected or answered never ran, so it has no span. */
function callFinished(drawing: Drawing, { at, data: { call_id, status, error } }: EventOf<'call.finished'>): void {
  const span = drawing.openCall(call_id)
  if (span) Object.assign(span, { ended_at: at, status, error: error?.code ?? null })
}

function waitOpened(drawing: Drawing, { at, data: { hold_id, kind, call_id } }: EventOf<'hold.opened'>): void {
  const tool = call_id === null ? null : (drawing.tools.get(call_id) ?? null)
  // A tool that asks while it runs waits from here on: its call goes on when the answer is there.
  const running = call_id === null ? undefined : drawing.openCall(call_id)
  if (running) Object.assign(running, { ended_at: at, status: 'suspended' })
  drawing.spans.push({
    ...{ kind: 'wait', step: drawing.step, started_at: at, ended_at: null },
    ...{ hold_id, hold_kind: kind, call_id, tool, outcome: null, verdict: null, by: null },
  })
}

interface WaitEnd {
  readonly at: string
  readonly outcome: WaitSpan['outcome']
  readonly decision: Decision | null
}

function endWait(span: Draft<WaitSpan> | undefined, { at, outcome, decision }: WaitEnd): void {
  if (!span) return
  const { verdict = null, decided_by: by = null } = decision ?? {}
  Object.assign(span, { ended_at: at, outcome, verdict, by })
}

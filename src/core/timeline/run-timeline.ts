/**
 * A run over time, from its journal: what its model, its tools and its people each took. Waits are drawn to scale from it,
 * so everything has the time at which it began.
 */
import type { Amount } from '../count.ts'
import type { Decision } from '../hold/decision.ts'
import type { HoldKind } from '../hold/hold.ts'
import { callAct, titleLine } from '../hold-view/blocks/act-words.ts'
import type { JournalEvent, JournalledCall } from '../journal/event.ts'
import { contentText } from '../message/part-words.ts'
import type { CallOutcome } from '../run/outcome/call-outcome.ts'
import type { Termination } from '../run/termination.ts'
import type { CallStatus } from '../run/tool-call.ts'
import type { RunUsage, Usage } from '../run/usage/usage.ts'
import { type RunFact, RunFacts } from './run-facts.ts'
import { type RunOutcome, runOutcome } from './run-outcome.ts'

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
  /** The act in one visible line: `git push origin main`. */
  readonly title: string
  /** From 1. */
  readonly attempt: Amount
  readonly status: CallStatus
  /** The code of its error; `null` if there is none. */
  readonly error: string | null
  /** The exit of the program that it ran; `null` if it ran none, or runs. */
  readonly outcome: CallOutcome | null
}

/** People, from the question to the decision. */
export interface WaitSpan extends Span {
  readonly kind: 'wait'
  readonly step: Amount
  readonly hold_id: string
  readonly hold_kind: HoldKind
  readonly call_id: string | null
  readonly tool: string | null
  /** The act that is asked about, in one visible line; `null` without a call. */
  readonly title: string | null
  /** The end of it; `null` while it is open. */
  readonly outcome: 'decided' | 'expired' | 'withdrawn' | null
  readonly verdict: Decision['verdict'] | null
  /** The decider. */
  readonly by: string | null
}

/** A time that the model, a call or people took. */
export type TimelineSpan = ModelSpan | CallSpan | WaitSpan

/** A message that reached the run, at ISO time `at`. */
export interface TimelineMessage {
  readonly at: string
  readonly seq: Amount
  readonly author: string | null
}

/** How a run spent its time. */
export interface RunTimeline extends Span, RunOutcome {
  readonly run_id: string
  readonly thread_id: string
  readonly agent: string
  /** The message that began it, in one visible line; `null` if it began without one. */
  readonly task: string | null
  /** The author of that message. */
  readonly asked_by: string | null
  readonly steps: Amount
  readonly usage: RunUsage
  readonly termination: Termination | null
  /** By the time at which they began. */
  readonly spans: readonly TimelineSpan[]
  readonly messages: readonly TimelineMessage[]
}

/** `null` if the journal has no such run. */
export function runTimeline(runId: string, events: readonly JournalEvent[]): RunTimeline | null {
  const own = events.filter(({ run_id }) => run_id === runId)
  const started = own.find(event => event.kind === 'run.started')
  if (!started) return null
  const facts = new RunFacts(started)
  const shown = new Set<RunFact>()
  for (const event of own) {
    const fact = facts.apply(event)
    if (fact && event.kind === 'call.unclaimed') shown.delete(fact)
    else if (fact) shown.add(fact)
  }
  const finished = own.findLast(event => event.kind === 'run.finished')
  return {
    ...{ run_id: runId, thread_id: started.thread_id, agent: started.data.profile.agent },
    ...taskIn(own),
    ...runOutcome(runId, own),
    ...{ started_at: started.at, ended_at: finished?.at ?? null },
    ...{ steps: facts.step, usage: facts.usage, termination: finished?.data.termination ?? null },
    spans: [...shown].toSorted(byBeginning).map(spanOf),
    messages: own
      .filter(event => event.kind === 'message.received' || event.kind === 'message.queued')
      .map(({ at, seq, data }) => ({ at, seq, author: data.author })),
  }
}

function taskIn(own: readonly JournalEvent[]): Pick<RunTimeline, 'task' | 'asked_by'> {
  const first = own.find(event => event.kind === 'message.received' && event.data.forced_by === null)
  if (first?.kind !== 'message.received') return { task: null, asked_by: null }
  return { task: titleLine(contentText(first.data.content)) || null, asked_by: first.data.author }
}

function byBeginning(a: RunFact, b: RunFact): number {
  return Date.parse(a.started_at) - Date.parse(b.started_at) || a.seq - b.seq
}

function actOf(call: JournalledCall | null): string | null {
  return call && callAct(call.name, call.arguments)
}

function spanOf({ seq: _, ...fact }: RunFact): TimelineSpan {
  switch (fact.kind) {
    case 'model': {
      const { answer, ...span } = fact
      const { model, text, calls, usage, finish_reason } = answer
      return { ...span, model, text, called: calls.map(({ name }) => name), usage, finish_reason }
    }
    case 'call': {
      const { call, ...span } = fact
      return { ...span, tool: call?.name ?? '', title: actOf(call) ?? '' }
    }
    case 'wait': {
      const { call, decision, ...span } = fact
      const { verdict = null, decided_by: by = null } = decision ?? {}
      return { ...span, tool: call?.name ?? null, title: actOf(call), verdict, by }
    }
  }
}

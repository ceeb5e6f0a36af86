/**
 * From the events of one thread to spans, as each of them ends. A span that begins in one process may end in another one,
 * days later: a hold is `holdpoint.wait` from when it was opened to when it was decided.
 */
import type { EventKind, JournalEvent } from '../../../core/journal/event.ts'
import { modelName } from '../../../core/run/profile.ts'
import { outcomeOf } from '../../../core/run/termination.ts'
import { type CallFact, type EventOf, type RunFact, RunFacts, type WaitFact } from '../../../core/timeline/run-facts.ts'
import {
  agentAttributes,
  callAttributes,
  chatAttributes,
  modelOf,
  toolAttributes,
  waitAttributes,
} from './attributes.ts'
import { type FinishedSpan, rootIdOf, spanIdOf, traceIdOf } from './span.ts'

interface OpenRun {
  readonly started: EventOf<'run.started'>
  readonly facts: RunFacts
}

type Ending = Pick<FinishedSpan, 'name' | 'span_id' | 'start' | 'attributes'> &
  Partial<Pick<FinishedSpan, 'kind' | 'error'>>

export class SpanFold {
  readonly #withContent: boolean
  readonly #runs = new Map<string, OpenRun>()
  /** The newest event that it has. */
  seq = 0

  constructor(withContent: boolean) {
    this.#withContent = withContent
  }

  /** Takes in the next event. The span that ends with it; `null` if none does. */
  apply(event: JournalEvent): FinishedSpan | null {
    this.seq = event.seq
    if (event.kind === 'run.started') this.#runs.set(event.run_id, { started: event, facts: new RunFacts(event) })
    const run = this.#runs.get(event.run_id)
    if (!run) return null
    if (event.kind === 'run.finished') this.#runs.delete(event.run_id)
    const fact = run.facts.apply(event)
    const ended = event.kind === 'run.finished' ? runSpan(run, event) : fact && this.#factSpan(fact, event)
    return ended && finished(event, ended)
  }

  #factSpan(fact: RunFact, event: JournalEvent): Ending | null {
    if (fact.kind === 'wait') return fact.ended_at === null ? null : waitSpan(fact, event)
    if (fact.kind === 'call') return event.kind === 'call.finished' ? this.#callSpan(fact, event) : null
    return {
      name: `chat ${modelOf(fact.answer.model).name}`,
      kind: 'client',
      span_id: spanIdOf(event.thread_id, fact.seq),
      start: fact.started_at,
      attributes: chatAttributes(fact.answer, this.#withContent),
    }
  }

  #callSpan({ call, seq, started_at }: CallFact, { thread_id, data }: EventOf<'call.finished'>): Ending | null {
    if (call === null) return null
    return {
      name: `execute_tool ${call.name}`,
      span_id: spanIdOf(thread_id, seq),
      start: started_at,
      error: data.status === 'succeeded' ? null : (data.error?.code ?? data.status),
      attributes: { ...toolAttributes(call), ...callAttributes({ call, ...data }, this.#withContent) },
    }
  }
}

function waitSpan(fact: WaitFact, { thread_id, kind: ended }: { thread_id: string; kind: EventKind }): Ending {
  const { hold_id, hold_kind: kind, call, decision, seq, started_at } = fact
  return {
    name: 'holdpoint.wait',
    span_id: spanIdOf(thread_id, seq),
    start: started_at,
    attributes: {
      ...(call && toolAttributes(call)),
      ...waitAttributes({ hold_id, kind, ended, verdict: decision?.verdict ?? null }),
    },
  }
}

function runSpan({ started, facts: { usage } }: OpenRun, { run_id, data }: EventOf<'run.finished'>): Ending {
  const { profile } = started.data
  const { termination } = data
  return {
    name: `invoke_agent ${profile.agent}`,
    span_id: rootIdOf(run_id),
    start: started.at,
    error: outcomeOf(termination) === 'failed' && 'code' in termination ? termination.code : null,
    attributes: agentAttributes({ agent: profile.agent, model: modelName(profile) ?? 'custom', ...usage }, termination),
  }
}

function finished({ at: end, run_id, thread_id }: JournalEvent, ending: Ending): FinishedSpan {
  const { name, kind = 'internal', span_id, start, error = null, attributes } = ending
  const root = rootIdOf(run_id)
  return {
    ...{ name, kind, run_id, span_id, start, end, error },
    trace_id: traceIdOf(run_id),
    parent_id: span_id === root ? null : root,
    attributes: {
      ...attributes,
      'gen_ai.conversation.id': thread_id,
      'holdpoint.run.id': run_id,
      ...(error !== null && { 'error.type': error }),
    },
  }
}

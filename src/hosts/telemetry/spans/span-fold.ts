/**
 * From the events of one thread to spans, as each of them ends. A span that begins in one process may end in another one,
 * days later: a hold is `holdpoint.wait` from when it was opened to when it was decided.
 */
import type { EventData, EventKind, JournalEvent, JournalledCall } from '../../../core/journal/event.ts'
import { modelName } from '../../../core/run/profile.ts'
import { outcomeOf } from '../../../core/run/termination.ts'
import {
  agentAttributes,
  callAttributes,
  chatAttributes,
  modelOf,
  toolAttributes,
  waitAttributes,
} from './attributes.ts'
import { type FinishedSpan, rootIdOf, spanIdOf, traceIdOf } from './span.ts'

/** Where a span begins. */
interface Beginning {
  readonly at: string
  readonly seq: number
}

interface OpenHold extends Beginning {
  readonly kind: string
  readonly call_id: string | null
}

interface OpenRun {
  readonly started: Beginning
  readonly agent: string
  readonly model: string
  /** The newest checkpoint, which is written right before a model is asked. */
  asked_at: string
  input_tokens: number
  output_tokens: number
  readonly calls: Map<string, JournalledCall>
  readonly underway: Map<string, Beginning>
  readonly holds: Map<string, OpenHold>
}

interface Ending {
  readonly name: string
  readonly kind?: FinishedSpan['kind']
  readonly span_id: string
  readonly start: string
  readonly error?: string | null
  readonly attributes: FinishedSpan['attributes']
}

type EventOf<K extends EventKind> = Extract<JournalEvent, { kind: K }>
type Ended = Ending | null
type Cells = { readonly [K in EventKind]?: (run: OpenRun, event: EventOf<K>) => Ended }

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
    if (event.kind === 'run.started') this.#runs.set(event.run_id, begun(event))
    const run = this.#runs.get(event.run_id)
    if (!run) return null
    const ended = (this.#cells[event.kind] as ((run: OpenRun, event: JournalEvent) => Ended) | undefined)?.(run, event)
    if (event.kind === 'run.finished') this.#runs.delete(event.run_id)
    return ended ? this.#finished(event, ended) : null
  }

  #finished({ at: end, run_id, thread_id }: JournalEvent, ending: Ending): FinishedSpan {
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

  readonly #cells: Cells = {
    'checkpoint.named': (run, { at }) => {
      run.asked_at = at
      return null
    },
    'model.answered': (run, event) => this.#answered(run, event),
    'call.started': (run, { at, seq, data }) => {
      run.underway.set(data.call_id, { at, seq })
      return null
    },
    'call.unclaimed': (run, { data }) => {
      run.underway.delete(data.call_id)
      return null
    },
    'call.finished': (run, event) => this.#callEnded(run, event),
    'hold.opened': (run, { at, seq, data: { hold_id, kind, call_id } }) => {
      run.holds.set(hold_id, { at, seq, kind, call_id })
      return null
    },
    'hold.decided': (run, event) => {
      const ended = this.#waitEnded(run, event, event.data.decision.verdict)
      edit(run, event.data)
      return ended
    },
    'hold.expired': (run, event) => this.#waitEnded(run, event, event.data.decision.verdict),
    'hold.withdrawn': (run, event) => this.#waitEnded(run, event, null),
    'run.finished': (run, { run_id, data: { termination } }) => ({
      name: `invoke_agent ${run.agent}`,
      span_id: rootIdOf(run_id),
      start: run.started.at,
      error: outcomeOf(termination) === 'failed' && 'code' in termination ? termination.code : null,
      attributes: agentAttributes(run, termination),
    }),
  }

  #answered(run: OpenRun, { seq, thread_id, data }: EventOf<'model.answered'>): Ended {
    run.input_tokens += data.usage.input_tokens
    run.output_tokens += data.usage.output_tokens
    for (const call of data.calls) run.calls.set(call.id, call)
    return {
      name: `chat ${modelOf(data.model).name}`,
      kind: 'client',
      span_id: spanIdOf(thread_id, seq),
      start: run.asked_at,
      attributes: chatAttributes(data, this.#withContent),
    }
  }

  #callEnded(run: OpenRun, { thread_id, data }: EventOf<'call.finished'>): Ended {
    const start = run.underway.get(data.call_id)
    const call = run.calls.get(data.call_id)
    run.underway.delete(data.call_id)
    run.calls.delete(data.call_id)
    // A call that was rejected or answered never ran.
    if (!start || !call) return null
    return {
      name: `execute_tool ${call.name}`,
      span_id: spanIdOf(thread_id, start.seq),
      start: start.at,
      error: data.status === 'succeeded' ? null : (data.error?.code ?? data.status),
      attributes: { ...toolAttributes(call), ...callAttributes({ call, ...data }, this.#withContent) },
    }
  }

  #waitEnded(run: OpenRun, event: EventOf<HoldEnd>, verdict: string | null): Ended {
    const { hold_id } = event.data
    const hold = run.holds.get(hold_id)
    run.holds.delete(hold_id)
    if (!hold) return null
    const call = hold.call_id === null ? undefined : run.calls.get(hold.call_id)
    return {
      name: 'holdpoint.wait',
      span_id: spanIdOf(event.thread_id, hold.seq),
      start: hold.at,
      attributes: {
        ...(call && toolAttributes(call)),
        ...waitAttributes({ hold_id, kind: hold.kind, ended: event.kind, verdict }),
      },
    }
  }
}

type HoldEnd = 'hold.decided' | 'hold.expired' | 'hold.withdrawn'

/** The arguments that an approver put in the place of the model's are those that run. */
function edit({ calls }: OpenRun, { call_id, decision }: EventData['hold.decided']): void {
  const call = call_id === null ? undefined : calls.get(call_id)
  if (call && decision.arguments !== null) calls.set(call.id, { ...call, arguments: decision.arguments })
}

function begun({ at, seq, data: { profile } }: EventOf<'run.started'>): OpenRun {
  return {
    started: { at, seq },
    agent: profile.agent,
    model: modelName(profile) ?? 'custom',
    asked_at: at,
    ...{ input_tokens: 0, output_tokens: 0 },
    ...{ calls: new Map(), underway: new Map(), holds: new Map() },
  }
}

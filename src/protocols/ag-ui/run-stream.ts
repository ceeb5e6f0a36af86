/**
 * One answer to a client, from `RUN_STARTED` to the end of a run.
 * R1  A snapshot of all messages precedes each end: clients of CopilotKit keep results of their own otherwise.
 * R2  Nothing that a client of its version does not know is sent.
 * R3  Clients take interrupts for open until a `RUN_FINISHED` without them. So an answer to interrupts has that before
 *     any error, and a refusal of a paused thread follows its true state.
 */
import type { RefusedError } from '../../core/errors.ts'
import { runStatus } from '../../core/journal/thread.ts'
import { type Conversation, isAtRest, takeIn } from '../turns/conversation.ts'
import { type AgUiDeps, SURFACE } from './ag-ui-deps.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { Projection } from './project.ts'
import type { Received } from './receive.ts'
import { doneEvent, isLegacy, waitingEvent, warningEvents } from './run-end.ts'
import type { RunInput } from './run-input.ts'
import { type Waiting, waitingIn } from './waiting.ts'

export interface Answering extends Received {
  readonly input: RunInput
  /** The caller, who is shown what waits. */
  readonly to: string
}

export async function* runStream(
  deps: AgUiDeps,
  answering: Answering,
  signal: AbortSignal,
): AsyncGenerator<AgUiEvent, void, undefined> {
  const { input, to, conversation, seq, refusal } = answering
  yield started(input)
  if (conversation && (!refusal || isAtRest(conversation) || isLate(refusal)))
    for await (const event of new RunAnswer(deps, { input, to, conversation }).events(seq, signal))
      yield* inTurn(event, { input, refusal })
  if (refusal && !signal.aborted) yield refused(refusal)
}

/** An answer has one error: the refusal, if there is one. */
function inTurn(event: AgUiEvent, { input, refusal }: Pick<Answering, 'input' | 'refusal'>): readonly AgUiEvent[] {
  if (event.type !== 'RUN_ERROR') return [event]
  if (refusal) return [waitingEvent(input, NOTHING)]
  return input.resume.length > 0 ? [waitingEvent(input, NOTHING), event] : [event]
}

function started(input: RunInput): AgUiEvent {
  const { threadId, runId } = input
  return { type: 'RUN_STARTED', threadId, runId, ...(!isLegacy(input) && { protocolVersion: '1.0' }) }
}

function refused({ code, message, hint }: Pick<RefusedError, 'code' | 'message' | 'hint'>): AgUiEvent {
  return { type: 'RUN_ERROR', code, message: hint === null ? message : `${message} ${hint}` }
}

/** Another decision was first: the client receives its outcome, and then that its own decision does not count. */
const LATE: readonly RefusedError['code'][] = [
  ...(['already_decided', 'hold_decided', 'hold_expired', 'hold_withdrawn', 'hold_not_open'] as const),
]

function isLate({ code }: RefusedError): boolean {
  return LATE.includes(code)
}

const NOTHING: Waiting = { interrupts: [], calls: [] }

interface Asked {
  readonly input: RunInput
  readonly to: string
  readonly conversation: Conversation
}

class RunAnswer {
  readonly #deps: AgUiDeps
  readonly #asked: Asked
  readonly #projection: Projection

  constructor(deps: AgUiDeps, asked: Asked) {
    this.#deps = deps
    this.#asked = asked
    const results = asked.input.messages.flatMap(({ id, role }) => (role === 'tool' ? [id] : []))
    this.#projection = new Projection(asked.conversation, new Set(results))
  }

  /** Yields events until the run pauses or ends, and at least up to event `seq`. */
  async *events(seq: number, signal: AbortSignal): AsyncGenerator<AgUiEvent, void, undefined> {
    const { conversation } = this.#asked
    const { id, seq: since } = conversation.thread
    const isNews = seq > since
    const end = isNews ? null : await this.#end()
    if (end) return yield* end
    // A client that brings nothing new may have missed what happened since.
    if (!isNews) yield this.#projection.snapshot()
    for await (const event of this.#deps.holdpoint.follow(id, { since, signal })) {
      if (!('ephemeral' in event)) takeIn(conversation, event)
      yield* this.#projection.hear(event)
      const last = conversation.thread.seq < seq ? null : await this.#end()
      if (last) return yield* last
    }
  }

  /** Returns `null` if the run continues. */
  async #end(): Promise<readonly AgUiEvent[] | null> {
    const { conversation } = this.#asked
    if (!isAtRest(conversation)) return null
    const last = await this.#last()
    const { run } = conversation.thread
    const warnings = run ? warningEvents(run) : []
    return last && [...this.#projection.rest(), this.#projection.snapshot(), ...warnings, last]
  }

  /** P10: who was shown a hold is on record. */
  async #last(): Promise<AgUiEvent | null> {
    const { input, to, conversation } = this.#asked
    const { id, run } = conversation.thread
    if (run && runStatus(run) === 'done' && run.termination) return doneEvent(input, run.termination, run.answer)
    const waiting = await waitingIn(this.#deps, id, input)
    const { interrupts, calls } = waiting
    // The holds that it waited for were decided just now.
    if (interrupts.length + calls.length === 0 && !conversation.turn?.input) return null
    if (interrupts.length > 0) {
      const ids = interrupts.map(hold => hold.id)
      await this.#deps.holdpoint.audit.shown(ids, { to, surface: SURFACE, inFull: true })
    }
    return waitingEvent(input, waiting)
  }
}

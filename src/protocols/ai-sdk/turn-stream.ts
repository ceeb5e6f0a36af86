/**
 * A turn as a UI message stream, from the position of the client until the run pauses or ends.
 * A1  One `start` with the id of the turn, over all pauses, precedes anything that the client keeps.
 * A2  A stream that ends well leaves no call that the client takes for answered and that has no outcome: it would post
 *     again without end.
 * A3  A call may have no outcome yet because a person must look at it elsewhere. Then the stream ends with an error,
 *     which stops that.
 */

import type { RefusedError } from '../../core/errors.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { runStatus } from '../../core/journal/thread.ts'
import { describeEnd, type Termination } from '../../core/run/termination.ts'
import { warningsOf } from '../../core/run/warnings/warnings-of.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { isOpen, type Turn } from '../turns/chat-message.ts'
import { type Conversation, isAtRest, isOver, takeIn } from '../turns/conversation.ts'
import type { Moment } from '../turns/moment.ts'
import type { TurnTeller } from '../turns/tell-turn.ts'
import { holdData } from './hold-data.ts'
import type { Chunk, FinishReason } from './project.ts'
import { chunksOf } from './project.ts'

/** A conversation to stream to a client, and how far. */
export interface Telling {
  /** The conversation as it was read for this request, perhaps before the request wrote to it. */
  readonly conversation: Conversation
  /** The stream covers at least the events up to this one. */
  readonly seq: number
  /** `null` before the turn began: a message waits for its place. */
  readonly turnNow: () => Turn | null
  readonly tellerFor: (turn: Turn) => TurnTeller
  /** Calls that are not of this turn, and that the client takes for approved. */
  readonly foreign?: (turn: Turn) => readonly string[]
  /** Why answers were not recorded. */
  readonly refusals?: readonly RefusedError[]
}

export class TurnStream {
  readonly #holdpoint: Pick<Holdpoint, 'follow' | 'hold'>
  readonly #telling: Telling
  /** The newest data of each hold that was sent. */
  readonly #holds = new Map<string, string>()
  #told: { readonly turn: Turn; readonly teller: TurnTeller } | null = null

  constructor(holdpoint: Pick<Holdpoint, 'follow' | 'hold'>, telling: Telling) {
    this.#holdpoint = holdpoint
    this.#telling = telling
  }

  async *chunks(signal: AbortSignal): AsyncGenerator<Chunk, void, undefined> {
    const { conversation, seq } = this.#telling
    yield* this.#begin()
    const over = () => this.#told !== null && isOver(conversation, this.#told.turn)
    for await (const event of followUntilRest(this.#holdpoint, conversation, { seq, over, signal })) {
      if (this.#told) yield* this.#tell(event, this.#told)
      else yield* this.#begin()
    }
    if (!signal.aborted) yield* this.#end()
  }

  async *#begin(): AsyncGenerator<Chunk, void, undefined> {
    const { conversation, seq } = this.#telling
    const turn = conversation.thread.seq < seq ? null : this.#telling.turnNow()
    if (!turn) return
    this.#told = { turn, teller: this.#telling.tellerFor(turn) }
    yield { type: 'start', messageId: turn.id }
    for (const toolCallId of this.#telling.foreign?.(turn) ?? []) yield { type: 'tool-output-denied', toolCallId }
    yield this.#runData(turn)
    yield* this.#project(this.#told.teller.tell(turn))
    // A hold may have been decided elsewhere, and its call still wait for others.
    for (const { id } of turn.steps.flatMap(({ holds }) => holds)) yield* this.#holdData(id)
  }

  async *#tell(
    event: JournalEvent | Ephemeral,
    { turn, teller }: { readonly turn: Turn; readonly teller: TurnTeller },
  ): AsyncGenerator<Chunk, void, undefined> {
    const isPiece = 'ephemeral' in event
    yield* this.#project(isPiece ? teller.hear(event, turn) : teller.tell(turn))
    if (isPiece) return
    if (event.kind === 'run.started') yield this.#runData(turn)
    if ('hold_id' in event.data) yield* this.#holdData(event.data.hold_id)
  }

  async *#project(moments: readonly Moment[]): AsyncGenerator<Chunk, void, undefined> {
    for (const moment of moments) {
      yield* chunksOf(moment)
      if ('hold' in moment && moment.hold) yield* this.#holdData(moment.hold.id)
    }
  }

  async *#holdData(id: string): AsyncGenerator<Chunk, void, undefined> {
    const hold = await this.#holdpoint.hold(id)
    if (!hold || hold.call_id === null) return
    const data = holdData(hold)
    const text = JSON.stringify(data)
    if (this.#holds.get(id) === text) return
    this.#holds.set(id, text)
    yield { type: 'data-hold', id, data }
  }

  #runData(turn: Turn): Chunk {
    return { type: 'data-run', id: 'run', data: runData(this.#telling.conversation, turn) }
  }

  async *#end(): AsyncGenerator<Chunk, void, undefined> {
    // Without a start there is no message to end: the message of the person is still queued.
    if (!this.#told) return yield { type: 'finish', finishReason: 'other' }
    const { turn, teller } = this.#told
    yield* this.#project(teller.rest())
    const step = turn.steps.at(-1)
    if (step?.ended && step.calls.length > 0) {
      // A2: the client looks only at the calls of the last step, which is an empty one from now on.
      yield { type: 'start-step' }
      yield { type: 'finish-step' }
    }
    yield this.#runData(turn)
    const trouble = troubleOf(turn, this.#telling.refusals ?? [])
    if (trouble !== null) return yield { type: 'error', errorText: trouble }
    yield { type: 'finish', finishReason: finishReason(turn, this.#telling.conversation) }
  }
}

/** Why the stream ends with an error; `null` if it ends well. */
function troubleOf(turn: Turn, refusals: readonly RefusedError[]): string | null {
  const refused = refusals.map(({ message, hint }) => (hint === null ? message : `${message} ${hint}`))
  if (refused.length > 0) return refused.join('\n')
  const { termination } = turn
  if (termination?.type === 'error') return `The agent stopped: ${describeEnd(termination)}.`
  const doubt = turn.steps.at(-1)?.holds.find(hold => hold.kind === 'in_doubt' && isOpen(hold))
  if (!doubt) return null
  const call = turn.steps.at(-1)?.calls.find(({ id }) => id === doubt.call_id)
  return `${call?.name ?? 'A call'} was cut off while it ran, so nobody knows whether it took effect. Decide ${doubt.id}.`
}

function finishReason(turn: Turn, conversation: Conversation): FinishReason {
  const { termination } = turn
  if (termination) return END_REASONS[termination.type](termination)
  if (turn !== conversation.turn || turn.input) return 'stop'
  return 'tool-calls'
}

const END_REASONS: Record<Termination['type'], (termination: Termination) => FinishReason> = {
  natural_end: () => 'stop',
  behavior_requested: () => 'stop',
  stopped: end => (end.type === 'stopped' ? (STOP_REASONS[end.code] ?? 'other') : 'other'),
  cancelled: () => 'other',
  blocked: () => 'other',
  error: () => 'error',
}

const STOP_REASONS: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  content_filter: 'content-filter',
  stop_on_tool: 'stop',
  content_match: 'stop',
}

function runData(conversation: Conversation, turn: Turn): JsonObject {
  const { run_id, termination } = turn
  const { id: thread_id, run } = conversation.thread
  const isNewest = turn === conversation.turn
  const status = isNewest && run && isAtRest(conversation) ? runStatus(run) : isNewest ? 'running' : 'done'
  const warnings = isNewest && run ? warningsOf(run) : []
  const told = warnings.length > 0 ? { warnings: warnings.map(({ message }) => message) } : {}
  return { run_id, thread_id, status, end: termination && describeEnd(termination), ...told }
}

interface Following {
  /** No pause before this event counts: the conversation was read before this request wrote to it. */
  readonly seq: number
  /** True after the event that is to be the last one. */
  readonly over?: () => boolean
  readonly signal: AbortSignal
}

/**
 * Yields each event and piece after the conversation has taken it in, until its run pauses or ends. An abort ends it
 * without an error.
 */
async function* followUntilRest(
  holdpoint: Pick<Holdpoint, 'follow'>,
  conversation: Conversation,
  { seq, over = () => false, signal }: Following,
): AsyncGenerator<JournalEvent | Ephemeral, void, undefined> {
  const { thread } = conversation
  const isLast = () => thread.seq >= seq && (isAtRest(conversation) || over())
  if (isLast()) return
  for await (const event of holdpoint.follow(thread.id, { since: thread.seq, signal })) {
    if (!('ephemeral' in event)) takeIn(conversation, event)
    yield event
    if (isLast()) return
  }
}

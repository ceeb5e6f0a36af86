/**
 * Sends a turn to a client: everything once, in order, from the position of the client. Parts that arrive in pieces
 * are sent in pieces. The journal has the whole of it, and settles what the pieces left open. After a missed piece no
 * later ones are sent before that: a client shows parts in the order in which it receives them.
 */
import { besideText } from '../../core/message/part-words.ts'
import type { InferencePart } from '../../ports/agent/model-part.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import { holdOf, type Turn, type TurnStep } from './chat-message.ts'
import type { Moment, Spoken } from './moment.ts'
import { type ToldCall, ToldCalls } from './told-calls.ts'
import { ToldTexts } from './told-texts.ts'

/** The part of a turn that a client claims to have. It decides what the client is sent, and nothing else. */
export interface KnownTurn {
  /** The steps that it has, or has a part of. */
  readonly steps: number
  /** The steps whose answer it has in full. */
  readonly answers: number
  /** The texts and the thoughts of the last of them, as far as the client has them. */
  readonly spoken: Readonly<Record<Spoken, string>>
  readonly calls: ReadonlyMap<string, ToldCall>
}

const NOTHING: KnownTurn = { steps: 0, answers: 0, spoken: { text: '', reasoning: '' }, calls: new Map() }

export class TurnTeller {
  /** The step that is being sent. */
  #step: number
  #isOpen = false
  /** The answer of this step and those before it was sent. */
  #answered: number
  /** Steps before this one have nothing more to send. */
  #first = 0
  #texts: ToldTexts
  readonly #calls: ToldCalls
  /** Calls of the step of which pieces came. */
  #begun = new Set<string>()
  /** The place of the next piece of the answer under way. */
  #next = 0
  /**
   * True if the answer will bring the rest: a piece was missed, or the pieces were void and later ones repeat them.
   */
  #isDeaf = false

  constructor({ steps, answers, spoken, calls }: KnownTurn = NOTHING) {
    this.#step = steps - 1
    this.#answered = answers - 1
    this.#texts = new ToldTexts(this.#step, spoken)
    this.#calls = new ToldCalls(calls)
  }

  /** A piece of an answer or of a tool's output. */
  hear(piece: Ephemeral, turn: Turn): Moment[] {
    if (piece.kind === 'tool_output.delta')
      return this.#calls.output(piece.data.call_id, piece.data.stream, piece.data.delta)
    if (piece.kind === 'inference.void') this.#isDeaf = true
    if (!isInference(piece)) return []
    const { index = this.#next } = piece
    if (index !== this.#next) this.#isDeaf = true
    this.#next = index + 1
    if (this.#isDeaf) return []
    const opened = this.#begin(turn.steps.length)
    return [...opened, ...this.#piece(piece)]
  }

  #piece(piece: InferencePart): Moment[] {
    const { kind, data } = piece
    if (kind === 'tool_input.start') this.#begun.add(data.call_id)
    if (kind === 'tool_input.start') return this.#calls.start(data.call_id, data.name)
    if (kind === 'tool_input.delta') return this.#calls.delta(data.call_id, data.delta)
    if (kind === 'tool_input.end') return []
    const spoken = kind.startsWith('text') ? 'text' : 'reasoning'
    if (kind === 'text.delta' || kind === 'reasoning.delta') return this.#texts.delta(spoken, data.id, data.delta)
    return kind.endsWith('start') ? this.#texts.start(spoken, data.id) : this.#texts.end(spoken, data.id)
  }

  /** Sends the changes in the current state of the turn. */
  tell(turn: Turn): Moment[] {
    const moments: Moment[] = []
    for (const [index, step] of turn.steps.entries()) {
      if (index >= this.#first) moments.push(...this.#tellStep(step, index))
      if (index === this.#first && step.ended) this.#first += 1
    }
    return moments
  }

  /** Closes the open part: nothing more follows for now. */
  rest(): Moment[] {
    return this.#close()
  }

  #tellStep(step: TurnStep, index: number): Moment[] {
    const moments = this.#begin(index)
    if (index > this.#answered) moments.push(...this.#answer(step, index))
    for (const call of step.calls) moments.push(...this.#calls.tell(call, holdOf(step, call.id)))
    if (step.ended && index === this.#step) moments.push(...this.#close())
    return moments
  }

  #answer(step: TurnStep, index: number): Moment[] {
    this.#answered = index
    this.#isDeaf = false
    this.#next = 0
    const beside = besideText(step.parts).map((part): Moment => ({ kind: 'beside', part }))
    const moments = [...this.#texts.complete(step.parts), ...beside, ...this.#calls.drop(this.#begun, step.calls)]
    for (const call of step.calls) moments.push(...this.#calls.input(call))
    return moments
  }

  #begin(index: number): Moment[] {
    if (index <= this.#step) return []
    const closed = this.#close()
    this.#step = index
    this.#isOpen = true
    this.#texts = new ToldTexts(index)
    this.#begun = new Set()
    return [...closed, { kind: 'step.started' }]
  }

  #close(): Moment[] {
    const ended = this.#texts.endAll()
    if (!this.#isOpen) return ended
    this.#isOpen = false
    return [...ended, { kind: 'step.ended' }]
  }
}

function isInference(piece: Ephemeral): piece is Ephemeral & InferencePart {
  return /^(text|reasoning|tool_input)\./.test(piece.kind)
}

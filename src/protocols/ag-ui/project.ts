/**
 * Converts events of a thread to events of AG-UI. Clients end a run at once if an event does not fit, so:
 * A1  Text, thoughts and arguments that were begun are ended, and each only once.
 * A2  A call is begun once, and has one result.
 * A3  A snapshot of all messages corrects what was sent in vain.
 */
import type { JournalEvent } from '../../core/journal/event.ts'
import { isFinal } from '../../core/run/tool-call.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import { isOpen, type Turn } from '../turns/chat-message.ts'
import type { Conversation } from '../turns/conversation.ts'
import type { Moment } from '../turns/moment.ts'
import { type KnownTurn, TurnTeller } from '../turns/tell-turn.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { answerId, messagesOf, textOf, thoughtsOf } from './messages.ts'
import { eventsOf, OpenParts } from './open-parts.ts'

export class Projection {
  readonly #conversation: Conversation
  readonly #parts: OpenParts
  #turn: Turn | null
  #teller: TurnTeller
  #step: number

  /** The client has all that is in the conversation now, and `results` of its own. */
  constructor(conversation: Conversation, results: ReadonlySet<string>) {
    this.#conversation = conversation
    this.#parts = new OpenParts(results)
    this.#turn = conversation.turn
    this.#teller = new TurnTeller(allOf(this.#turn))
    this.#step = (this.#turn?.steps.length ?? 0) - 1
  }

  /** A durable event is part of the conversation by now. */
  hear(event: JournalEvent | Ephemeral): readonly AgUiEvent[] {
    if ('ephemeral' in event) return event.kind === 'inference.void' ? this.#void() : this.#piece(event)
    const told = [...this.#nextTurn(), ...this.#tell()]
    if (event.kind === 'model.answered' && !this.#isTrue()) this.#parts.isTrue = false
    return [...told, ...this.#putRight()]
  }

  /** Closes all open parts: nothing more follows for now. */
  rest(): readonly AgUiEvent[] {
    return [...this.#events(this.#teller.rest()), ...this.#parts.endAll()]
  }

  snapshot(): AgUiEvent {
    return { type: 'MESSAGES_SNAPSHOT', messages: messagesOf(this.#conversation.messages) }
  }

  #piece(piece: Ephemeral): readonly AgUiEvent[] {
    return this.#turn ? this.#events(this.#teller.hear(piece, this.#turn)) : []
  }

  #tell(): readonly AgUiEvent[] {
    return this.#turn ? this.#events(this.#teller.tell(this.#turn)) : []
  }

  #nextTurn(): readonly AgUiEvent[] {
    const { turn } = this.#conversation
    if (turn === this.#turn) return []
    const before = [...this.#tell(), ...this.rest()]
    this.#turn = turn
    this.#teller = new TurnTeller()
    this.#step = -1
    return before
  }

  /** The pieces of the answer under way are void, and will come anew. */
  #void(): readonly AgUiEvent[] {
    const ended = this.rest()
    if (ended.length === 0 && this.#parts.text === '') return []
    this.#teller = new TurnTeller(allOf(this.#turn))
    this.#step = (this.#turn?.steps.length ?? 0) - 1
    this.#parts.isTrue = false
    return [...ended, ...this.#putRight()]
  }

  #isTrue(): boolean {
    const step = this.#turn?.steps[this.#step]
    return step === undefined || textOf(step.parts) === this.#parts.text
  }

  #putRight(): readonly AgUiEvent[] {
    if (this.#parts.isTrue) return []
    const ended = this.#parts.endAll()
    this.#parts.isTrue = true
    return [...ended, this.snapshot()]
  }

  #events(moments: readonly Moment[]): readonly AgUiEvent[] {
    return moments.flatMap(moment => {
      if (moment.kind === 'step.started') this.#step += 1
      const turn = this.#turn
      return turn ? eventsOf(moment, this.#parts, answerId(turn, this.#step)) : []
    })
  }
}

/** The state of a client that has received everything. */
function allOf(turn: Turn | null): KnownTurn {
  const steps = turn?.steps ?? []
  const last = steps.at(-1)
  const calls = steps.flatMap(step =>
    step.calls.map(call => {
      const hold = step.holds.findLast(({ call_id }) => call_id === call.id) ?? null
      const asked = hold && isOpen(hold) ? hold.id : null
      const told = { input: '', ready: call.final_arguments, asked, answered: false, finished: isFinal(call.status) }
      return [call.id, told] as const
    }),
  )
  const parts = last?.parts ?? []
  const spoken = { text: textOf(parts), reasoning: thoughtsOf(parts) }
  return { steps: steps.length, answers: steps.length, spoken, calls: new Map(calls) }
}

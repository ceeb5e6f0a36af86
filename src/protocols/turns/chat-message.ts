import type { HoldState } from '../../core/journal/thread.ts'
import type { AnswerPart, Content } from '../../core/message/part.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'

/** A message of a person. */
export interface SaidMessage {
  readonly role: 'user'
  /** The sender's own id of it; `m` and its `seq` if it came without one. */
  readonly id: string
  readonly seq: number
  /** ISO time. */
  readonly at: string
  readonly content: Content
  readonly author: string | null
  /** The turn that answers it; `null` while it waits for its place in the conversation. */
  turn_id: string | null
}

/** All that an agent does for one message: its answers, its calls and their results, over every pause and restart. */
export interface Turn {
  readonly role: 'assistant'
  /** The id is the same in every process, from the first piece of the message on. */
  readonly id: string
  readonly seq: number
  /** ISO time. */
  readonly at: string
  /** The newest run that worked on it; empty before the first. */
  run_id: string
  readonly steps: TurnStep[]
  /** The hold by which the run waits for the next message; `null` if it does not. */
  input: HoldState | null
  /** The end of its run; `null` if the run continues, or continued with another message. */
  termination: Termination | null
}

/** An answer of the model with the current state of its calls. */
export interface TurnStep {
  /** Texts, thoughts and the places of the calls, in the model's order. */
  readonly parts: readonly AnswerPart[]
  calls: readonly ToolCall[]
  /** The holds of its calls, oldest first. */
  holds: readonly HoldState[]
  ended: boolean
}

/** A message as chat clients see it. */
export type ChatMessage = SaidMessage | Turn

/** The newest hold of a call, decided or not; `null` if it was never held. */
export function holdOf({ holds }: TurnStep, callId: string): HoldState | null {
  return holds.findLast(({ call_id }) => call_id === callId) ?? null
}

export function isOpen({ decision, withdrawn }: HoldState): boolean {
  return decision === null && !withdrawn
}

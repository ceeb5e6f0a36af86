import type { HoldState } from '../../core/journal/thread.ts'
import type { BesidePart } from '../../core/message/part-words.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'

/**
 * The next thing to send to a client about a turn, independent of the protocol. Each is sent once, in a valid order.
 */
export type Moment =
  | { readonly kind: 'step.started' | 'step.ended' }
  | { readonly kind: 'text.started' | 'text.ended' | 'reasoning.started' | 'reasoning.ended'; readonly id: string }
  | { readonly kind: 'text.delta' | 'reasoning.delta'; readonly id: string; readonly delta: string }
  /** A source, a file, or a call that the provider ran, with its result. */
  | { readonly kind: 'beside'; readonly part: BesidePart }
  /** Again for the same call: what came of its arguments before is void. */
  | { readonly kind: 'input.started'; readonly call_id: string; readonly name: string }
  | { readonly kind: 'input.delta'; readonly call_id: string; readonly delta: string }
  /** The model did not ask for this call after all. */
  | { readonly kind: 'call.dropped'; readonly call_id: string }
  /** The arguments are complete, and it is clear who runs the call. Sent again if a person changed the arguments. */
  | { readonly kind: 'call.ready'; readonly call: ToolCall; readonly hold: HoldState | null }
  /** A hold of it is open. Again if the client takes it for answered, and it is not. */
  | { readonly kind: 'call.asked'; readonly call: ToolCall; readonly hold: HoldState }
  | { readonly kind: 'output.delta'; readonly call_id: string; readonly stream: string | null; readonly delta: string }
  | { readonly kind: 'call.finished'; readonly call: ToolCall; readonly hold: HoldState | null }

export type Spoken = 'text' | 'reasoning'

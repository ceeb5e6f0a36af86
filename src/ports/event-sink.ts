import type { Amount } from '../core/count.ts'
import type { JournalEvent } from '../core/journal/event.ts'
import type { ModelPart } from './agent/model-part.ts'

/** A piece of an answer or of a tool's output, streamed as it arrives and never stored. */
export type Ephemeral = ModelPart & {
  readonly thread_id: string
  readonly run_id: string
  readonly ephemeral: true
  /** The `seq` of the newest durable event when it happened. */
  readonly after: Amount
  /**
   * Position among the pieces of its answer, from 0, as followers get them: a follower sees that it missed one. Only
   * pieces of a model's answer have an index, and older versions send none.
   */
  readonly index?: Amount
}

/** Durable events arrive after they are durable, in order (P4); ephemeral ones as they happen. */
export type EventSink = (event: JournalEvent | Ephemeral) => void

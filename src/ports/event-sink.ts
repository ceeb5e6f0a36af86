import type { Amount } from '../core/count.ts'
import type { JournalEvent } from '../core/journal/event.ts'
import type { ModelPart } from './agent/model-part.ts'

/** A piece of an answer or of a tool's output, told as it comes and never stored. */
export type Ephemeral = ModelPart & {
  readonly thread_id: string
  readonly run_id: string
  readonly ephemeral: true
  /** The `seq` of the newest durable event when it happened. */
  readonly after: Amount
  /**
   * Its place among the pieces of its answer, from 0, as followers get it: one that missed a piece knows it. Only the
   * pieces that a model tells have one, and processes of older versions send none.
   */
  readonly index?: Amount
}

/** Durable events come after they are durable, in order (P4); ephemeral ones as they happen. */
export type EventSink = (event: JournalEvent | Ephemeral) => void

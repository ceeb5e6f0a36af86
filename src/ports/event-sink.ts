import type { JournalEvent } from '../core/journal/event.ts'

/** What is told while a run moves, and never stored: pieces of text, retries. */
export type Ephemeral =
  | {
      readonly kind: 'text.delta'
      readonly thread_id: string
      readonly run_id: string
      readonly ephemeral: true
      /** The `seq` of the newest durable event when it happened. */
      readonly after: number
      readonly data: { readonly delta: string }
    }
  | {
      readonly kind: 'model.retrying'
      readonly thread_id: string
      readonly run_id: string
      readonly ephemeral: true
      /** The `seq` of the newest durable event when it happened. */
      readonly after: number
      readonly data: {
        readonly attempt: number
        readonly wait_ms: number
        readonly code: string
        readonly message: string
      }
    }

/** Durable events come after they are durable, in order (P4); ephemeral ones as they happen. */
export type EventSink = (event: JournalEvent | Ephemeral) => void

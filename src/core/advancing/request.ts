import type { JournalEvent, NewEvent } from '../journal/event.ts'

/** A message to a run, or a request to cancel it. Anyone may write it, also while another process advances the run. */
export interface NewRequest {
  readonly run_id: string
  readonly event: Extract<NewEvent, { kind: 'message.queued' | 'cancel.requested' }>
  /** Withdraws every open hold of the run in the same transaction, each with a `hold.withdrawn` before the event. */
  readonly withdraw: boolean
  /** Refuses the request if holds are open. */
  readonly unlessWaiting: boolean
}

/** `done`: the run has ended or is about to, so nothing was written. `waiting`: holds are open, and `unlessWaiting` is set. */
export type Requested =
  | { readonly outcome: 'recorded'; readonly events: readonly JournalEvent[] }
  | { readonly outcome: 'done' }
  | { readonly outcome: 'waiting'; readonly holds: number }

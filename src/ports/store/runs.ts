import type { NewRequest, Requested } from '../../core/advancing/request.ts'
import type { AdvanceFailure } from '../../core/advancing/stuck-run.ts'
import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import type { NewHold } from '../../core/hold/hold.ts'
import type { JournalEvent, PlainEvent } from '../../core/journal/event.ts'
import type { RunStatus } from '../../core/journal/thread.ts'
import type { Exported } from '../../core/run/exported.ts'
import type { HoldScope } from '../../core/run/profile.ts'
import type { NewTask, TaskMove } from '../../core/task/task-move.ts'
import type { MaybeUnreadable } from '../../core/unreadable.ts'

/** The exclusive, expiring right to advance one run. `fence` rises with each owner: an older owner is refused (P7). */
export interface Lease {
  readonly run_id: string
  readonly thread_id: string
  readonly owner: string
  readonly fence: number
  /** ISO time. */
  readonly until: string
}

/** A run's row: all that can be known of the run without its journal. */
export interface RunRow extends MaybeUnreadable {
  readonly id: string
  readonly thread_id: string
  readonly agent: string
  readonly status: RunStatus
  readonly hold_scope: HoldScope
  /** The run whose agent started this one; `null` if no agent did. */
  readonly parent_run_id: string | null
  /** The newest checkpoint that people know of; `null` before the first. */
  readonly checkpoint_id: string | null
  /** The type of its termination; `null` while it has none. */
  readonly ended: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly lease: Omit<Lease, 'run_id' | 'thread_id'> | null
  /** ISO time until which the run waits for the provider of its model, and is not ready; `null` if it does not. */
  readonly retry_at: string | null
  /** Set if its thread moved to another store: the run does not go on here. */
  readonly exported: Exported | null
  /** Why the newest try to advance it failed; `null` if none ever did. It counts if the run has not moved on since. */
  readonly failure: AdvanceFailure | null
}

/** The fields of a run's row that change. */
export interface RowChange {
  readonly status?: RunStatus
  readonly checkpoint_id?: string
  /** The type of its termination. From here on the run takes in no message and no cancel. */
  readonly ended?: string
  /** ISO time before which the run is not ready once its lease is released. Default: it is ready at once. */
  readonly retry_at?: string
}

/** A run as it is put on record. */
export interface NewRun {
  readonly id: string
  readonly agent: string
  readonly hold_scope: HoldScope
  /** Default: none. */
  readonly parent_run_id?: string | null
}

/** Puts a run on record with its first events, all or nothing. */
export interface Start {
  readonly run: NewRun
  readonly thread_id: string
  /** The thread's newest `seq` that the caller knows, 0 for a new thread: anything newer refuses the start. */
  readonly after: number
  readonly events: readonly PlainEvent[]
  readonly opens?: readonly NewHold[]
  readonly status: RunStatus
  readonly checkpoint_id: string | null
  /** The type of its termination, if it begins with one. */
  readonly ended?: string | null
  /** The number of events, from the first, that happened in another thread and are only copied here. Default: 0. */
  readonly copied?: number
  /**
   * The task that is to go on with the run, a new one or one that moves on to it, on record in the same transaction: a
   * crash leaves both or neither.
   */
  readonly task?: NewTask | TaskMove
  /** Takes the lease in the same transaction, so that no worker advances the run before its owner does. */
  readonly reserve?: Pick<Claim, 'owner' | 'ttl_ms'>
}

/** Asks for the lease of a run. */
export interface Claim {
  readonly run_id: string
  readonly owner: string
  readonly ttl_ms: number
  /** Takes the lease from this owner, whose process is known to be gone, if it still is the owner. */
  readonly evict?: string | null
  /** Recorded in the same transaction, all or none: if one cannot be recorded, none is and the lease is not taken. */
  readonly decisions?: readonly ReadyDecision[]
}

/** The result of a claim. Only `claimed` gives the lease. */
export type Claimed =
  | { readonly outcome: 'claimed'; readonly lease: Lease; readonly receipts: readonly Receipt[] }
  | { readonly outcome: 'done' }
  | { readonly outcome: 'busy'; readonly owner: string; readonly until: string }
  | { readonly outcome: 'refused'; readonly receipts: readonly Receipt[] }

/** Chooses runs. All that is given must fit. */
export interface RunQuery {
  /** That run alone. */
  readonly run_id?: string
  readonly status?: RunStatus
  readonly thread_id?: string
  /** Only the children of that run. */
  readonly parent_run_id?: string
  readonly limit?: number
  /** The last run id of the page before this one. */
  readonly after?: string
}

/** Runs, and the leases by which one process at a time advances each. */
export interface RunStore {
  /** @throws RefusedError `superseded` if the thread has moved on since `after`; `exported` if it moved to another store; `task_exists`, `task_moved_on`. */
  start(start: Start): Promise<readonly JournalEvent[]>
  /** `null` for an unknown run. With `decisions` it records them first, or nothing happens. */
  claim(claim: Claim): Promise<Claimed | null>
  /** Extends the lease. @throws LeaseLostError */
  renew(lease: Lease, ttlMs: number): Promise<Lease>
  /** @throws LeaseLostError */
  release(lease: Lease): Promise<void>
  /** Records why a run could not be advanced. Nothing is written if another process has the run by now. */
  noteFailure(runId: string, failure: Omit<AdvanceFailure, 'at'>): Promise<void>
  /**
   * Records a message or a cancel for a run that another process may be advancing. With `withdraw` a waiting run becomes
   * ready. `null` for an unknown run.
   */
  request(request: NewRequest): Promise<Requested | null>
  run(id: string): Promise<RunRow | null>
  /** Newest first. */
  runs(query: RunQuery): Promise<readonly RunRow[]>
}

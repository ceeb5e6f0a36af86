import type { Decision } from '../core/decision.ts'
import type { RefusedError } from '../core/errors.ts'
import type { JournalEvent, NewEvent } from '../core/event.ts'
import type { Hold, HoldKind, HoldStatus, NewHold } from '../core/hold.ts'
import type { HoldScope } from '../core/profile.ts'
import type { RunStatus } from '../core/thread.ts'

/** The exclusive, expiring right to advance one run. `fence` rises with each owner: an older one is refused (P7). */
export interface Lease {
  readonly run_id: string
  readonly thread_id: string
  readonly owner: string
  readonly fence: number
  /** ISO time. */
  readonly until: string
}

/** A run's row: what can be known of it without reading its journal. */
export interface RunRow {
  readonly id: string
  readonly thread_id: string
  readonly agent: string
  readonly status: RunStatus
  readonly hold_scope: HoldScope
  /** The newest checkpoint that people were told of; `null` before the first. */
  readonly checkpoint_id: string | null
  /** The type of its termination; `null` while it has none. */
  readonly ended: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly lease: Omit<Lease, 'run_id' | 'thread_id'> | null
}

/** One transaction of whoever holds the lease. */
export interface Commit {
  readonly events: readonly NewEvent[]
  readonly opens?: readonly NewHold[]
  /** What changes in the run's row. */
  readonly run?: {
    readonly status?: RunStatus
    readonly checkpoint_id?: string
    readonly ended?: string
  }
  /** Gives the lease back in the same transaction, unless others wrote since `after`: then there may be more to do. */
  readonly release?: boolean
}

/** Events in their place, newest last; those that others appended since `after`, included. */
export interface Appended {
  /** False where others wrote meanwhile: then neither the lease was given back nor the run put to rest. */
  readonly released: boolean
  readonly events: readonly JournalEvent[]
}

export interface NewRun {
  readonly id: string
  readonly agent: string
  readonly hold_scope: HoldScope
}

export interface Start {
  readonly run: NewRun
  readonly thread_id: string
  /** The thread's newest `seq` when this run was thought up, 0 for a new thread: anything newer refuses the start. */
  readonly after: number
  readonly events: readonly NewEvent[]
  readonly opens?: readonly NewHold[]
  readonly status: RunStatus
  readonly checkpoint_id: string | null
  /** The type of its termination, where it begins with one. */
  readonly ended?: string | null
}

export interface Claim {
  readonly run_id: string
  readonly owner: string
  readonly ttl_ms: number
  /** Take it from this owner, who is known to be gone, if it still is the owner. */
  readonly evict?: string | null
  /** Recorded in the same transaction, all or none: where one is not recorded, nothing is and the lease is not taken. */
  readonly decisions?: readonly ReadyDecision[]
}

export type ReadyDecision = Decision & { readonly hold_id: string }

export type Claimed =
  | { readonly outcome: 'claimed'; readonly lease: Lease; readonly receipts: readonly Receipt[] }
  | { readonly outcome: 'done' }
  | { readonly outcome: 'busy'; readonly owner: string; readonly until: string }
  | { readonly outcome: 'refused'; readonly receipts: readonly Receipt[] }

/** What became of one decision. `duplicate` is the success of an earlier submission of the same decision. */
export type Receipt =
  | { readonly outcome: 'recorded' | 'duplicate'; readonly hold: Hold; readonly decision: Decision }
  | { readonly outcome: 'already_decided'; readonly hold: Hold; readonly winner: Decision }
  | { readonly outcome: 'refused'; readonly hold: Hold | null; readonly error: RefusedError }

export interface HoldQuery {
  readonly status?: HoldStatus
  readonly run_id?: string
  readonly thread_id?: string
  readonly kind?: HoldKind
  readonly limit?: number
  /** The last hold id of the page before this one. */
  readonly after?: string
}

export interface RunQuery {
  readonly status?: RunStatus
  readonly thread_id?: string
  readonly limit?: number
  /** The last run id of the page before this one. */
  readonly after?: string
}

/**
 * Durable memory of runs, journals and holds. Each method is one transaction: what it returned is on disk (P4), and
 * what it refused left no trace.
 */
export interface Store extends AsyncDisposable {
  /** As it was opened, without secrets. */
  readonly url: string
  /** @throws RefusedError `superseded` when the thread has moved on since `after`. */
  start(start: Start): Promise<readonly JournalEvent[]>
  /** `null` for an unknown run. With `decisions` it records them first, or nothing happens. */
  claim(claim: Claim): Promise<Claimed | null>
  /** Extends the lease. @throws LeaseLostError */
  renew(lease: Lease, ttlMs: number): Promise<Lease>
  release(lease: Lease): Promise<void>
  /** Writes all of the commit or none of it. `after` is the last `seq` the caller has. @throws LeaseLostError (P7) */
  append(lease: Lease, after: number, commit: Commit): Promise<Appended>
  /** Compare-and-set on the rows of the holds, each on its own (P2). */
  decide(decisions: readonly ReadyDecision[]): Promise<readonly Receipt[]>
  /** Events of a thread with `seq` above `after` (default 0), oldest first; empty for an unknown thread. */
  journal(threadId: string, after?: number): Promise<readonly JournalEvent[]>
  run(id: string): Promise<RunRow | null>
  /** Newest first. */
  runs(query: RunQuery): Promise<readonly RunRow[]>
  hold(id: string): Promise<Hold | null>
  /** Oldest first. */
  holds(query: HoldQuery): Promise<readonly Hold[]>
}

import type { NewAuditEntry } from '../../core/audit/audit.ts'
import type { AuditHead, AuditRow, AuditVerification } from '../../core/audit/audit-chain.ts'
import type { AuditFilter } from '../../core/audit/audit-query.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { Decision } from '../../core/hold/decision.ts'
import type { Grant } from '../../core/hold/grant.ts'
import type { Hold, HoldKind, HoldStatus, NewHold } from '../../core/hold/hold.ts'
import type { JournalEvent, NewEvent } from '../../core/journal/event.ts'
import type { RunStatus } from '../../core/journal/thread.ts'
import type { Exported } from '../../core/run/exported.ts'
import type { HoldScope } from '../../core/run/profile.ts'
import type { Feed } from './feed.ts'
import type { TaskRegistry } from './task-registry.ts'
import type { ThreadBundles } from './thread-bundles.ts'

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
  /** The run whose agent started it; `null` where none did. */
  readonly parent_run_id: string | null
  /** The newest checkpoint that people were told of; `null` before the first. */
  readonly checkpoint_id: string | null
  /** The type of its termination; `null` while it has none. */
  readonly ended: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly lease: Omit<Lease, 'run_id' | 'thread_id'> | null
  /** Where its thread moved to another store: nobody goes on with it here. */
  readonly exported: Exported | null
}

/** What changes in a run's row. */
export interface RowChange {
  readonly status?: RunStatus
  readonly checkpoint_id?: string
  /** The type of its termination. From here on nobody's message or cancel is taken in. */
  readonly ended?: string
}

/** One transaction of whoever holds the lease. */
export interface Commit {
  readonly events: readonly NewEvent[]
  readonly opens?: readonly NewHold[]
  readonly run?: RowChange
  /** What is true only as long as nobody else wrote since `after`: left out whole where somebody did. */
  readonly rest?: Rest
}

/** The end of a run, or of one advance: written behind the other events of its commit, or not at all. */
export interface Rest {
  readonly events: readonly NewEvent[]
  readonly opens?: readonly NewHold[]
  readonly run?: RowChange
  /** Ids of open holds that nobody can decide from here on. */
  readonly withdraws?: readonly string[]
  /** Gives the lease back. */
  readonly release: boolean
}

/** Events in their place, oldest first; those that others appended since `after`, included. */
export interface Appended {
  readonly events: readonly JournalEvent[]
  /** False where `rest` was left out, because others wrote meanwhile: there may be more to do. */
  readonly rested: boolean
}

/** What somebody asks of a run, whoever advances it. */
export interface Request {
  readonly run_id: string
  readonly event: Extract<NewEvent, { kind: 'message.queued' | 'cancel.requested' }>
  /** Withdraws every open hold of the run in the same transaction, each with a `hold.withdrawn` before the event. */
  readonly withdraw: boolean
  /** Refuse where holds are open. */
  readonly unlessWaiting: boolean
}

/** `done`: the run has its end (or is about to), so nothing was written. `waiting`: holds are open, as `unlessWaiting` minds. */
export type Requested =
  | { readonly outcome: 'recorded'; readonly events: readonly JournalEvent[] }
  | { readonly outcome: 'done' }
  | { readonly outcome: 'waiting'; readonly holds: number }

export interface NewRun {
  readonly id: string
  readonly agent: string
  readonly hold_scope: HoldScope
  /** Default: none. */
  readonly parent_run_id?: string | null
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
  /** How many of the events, from the first, tell of another thread: nothing happens here that they tell. Default: 0. */
  readonly copied?: number
  /** Takes the lease with it, so that nobody else advances the run before its owner does. */
  readonly reserve?: Pick<Claim, 'owner' | 'ttl_ms'>
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

/**
 * What became of one decision. `duplicate` is the success of an earlier submission of the same decision. Where several
 * people must approve, the hold is still `open` after all but the last.
 */
export type Receipt =
  | { readonly outcome: 'recorded' | 'duplicate'; readonly hold: Hold; readonly decision: Decision }
  | { readonly outcome: 'already_decided'; readonly hold: Hold; readonly winner: Decision }
  | { readonly outcome: 'refused'; readonly hold: Hold | null; readonly error: RefusedError }

/** What is said about an open hold that leaves it open, or that time said of it. */
export type HoldEvent = Extract<
  NewEvent,
  { kind: 'hold.unclear' | 'hold.assigned' | 'hold.reminded' | 'hold.escalated' | 'hold.expired' }
>

export interface Amendment {
  readonly hold_id: string
  readonly event: HoldEvent
  /** The hold as it was seen, where it matters: somebody else was first where it has moved on. */
  readonly seen: Pick<Hold, 'level' | 'reminded'> | null
}

/** `null` where the hold is not open any more, or has moved on since it was seen: nothing was written. */
export type Amended = Hold | null

export interface GrantQuery {
  readonly agent?: string
  readonly tool?: string
  /** Only those that are neither revoked nor expired at this time. */
  readonly valid_at?: string
}

export interface Revocation {
  readonly grant_id: string
  readonly by: string
  readonly surface: string
}

export interface HoldQuery {
  readonly status?: HoldStatus
  readonly agent?: string
  readonly tool?: string
  readonly assignee?: string
  readonly call_id?: string
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
  /** Only the children of that run. */
  readonly parent_run_id?: string
  readonly limit?: number
  /** The last run id of the page before this one. */
  readonly after?: string
}

export interface AuditQuery extends AuditFilter {
  /** Default: 1000. */
  readonly limit?: number
  /** The `seq` of the last record of the page before this one. */
  readonly after?: number
}

/** Which threads are to go: finished ones, in which nothing happened since. */
export interface PruneQuery {
  /** ISO time. */
  readonly before: string
  /** Tells what would go, and deletes nothing. */
  readonly dry_run: boolean
  /** Who wants it, and from where. */
  readonly by: string
  readonly surface: string
  /** The `next` of the page before this one. */
  readonly after?: string
}

/** What a thread came to. `bytes` are those of its journal and its holds. */
export interface PrunedThread {
  readonly thread_id: string
  readonly runs: number
  readonly holds: number
  readonly events: number
  readonly grants: number
  /** Those about one of its runs. */
  readonly tasks: number
  readonly bytes: number
}

export interface PrunedPage {
  readonly threads: readonly PrunedThread[]
  /** Ids of the tasks that go: those about a run of these threads, and those that were over and about no run that is left. */
  readonly tasks: readonly string[]
  /** Where to go on; `null` where there are no more. */
  readonly next: string | null
}

export interface Growth {
  readonly thread_id: string
  readonly seq: number
}

/**
 * Durable memory of runs, journals and holds. Each method is one transaction: what it returned is on disk (P4), and
 * what it refused left no trace. What goes on record of an event (P10, core/audit/audit.ts) is written with it, all or none.
 */
export interface Store extends Feed, AsyncDisposable {
  /** As it was opened, without secrets. */
  readonly url: string
  readonly tasks: TaskRegistry
  readonly bundles: ThreadBundles
  /** @throws RefusedError `superseded` when the thread has moved on since `after`. */
  start(start: Start): Promise<readonly JournalEvent[]>
  /** `null` for an unknown run. With `decisions` it records them first, or nothing happens. */
  claim(claim: Claim): Promise<Claimed | null>
  /** Extends the lease. @throws LeaseLostError */
  renew(lease: Lease, ttlMs: number): Promise<Lease>
  release(lease: Lease): Promise<void>
  /**
   * Writes down what somebody asks of a run that somebody else may be advancing. With `withdraw` a waiting run becomes
   * ready. `null` for an unknown run.
   */
  request(request: Request): Promise<Requested | null>
  /** Writes all of the commit or none of it. `after` is the last `seq` the caller has. @throws LeaseLostError (P7) */
  append(lease: Lease, after: number, commit: Commit): Promise<Appended>
  /**
   * Compare-and-set on the rows of the holds, each on its own (P2); with `all`, all or none: where one is neither recorded
   * nor a duplicate, nothing was written, and the receipts tell what stood in the way.
   */
  decide(decisions: readonly ReadyDecision[], options?: { readonly all?: boolean }): Promise<readonly Receipt[]>
  /** Says something about open holds: each is a compare-and-set of its own, with its event (P2). */
  amend(amendments: readonly Amendment[]): Promise<readonly Amended[]>
  /** Open holds to which something happens by `at` (ISO time), the earliest first. */
  dueHolds(at: string, limit: number): Promise<readonly Hold[]>
  /** When the next thing happens to an open hold (ISO time); `null` where nothing will. */
  nextDue(): Promise<string | null>
  grant(id: string): Promise<Grant | null>
  /** Oldest first. */
  grants(query: GrantQuery): Promise<readonly Grant[]>
  /** The grant as it is then; one that was revoked before stays as it was. `null` for an unknown one. */
  revoke(revocation: Revocation): Promise<Grant | null>
  /** At most `limit` events of a thread with `seq` above `after` (default 0), oldest first; empty for an unknown thread. */
  journal(threadId: string, after?: number, limit?: number): Promise<readonly JournalEvent[]>
  run(id: string): Promise<RunRow | null>
  /** Newest first. */
  runs(query: RunQuery): Promise<readonly RunRow[]>
  hold(id: string): Promise<Hold | null>
  /** Oldest first. */
  holds(query: HoldQuery): Promise<readonly Hold[]>
  /** Puts on record what follows from no event (P10). */
  record(entries: readonly NewAuditEntry[]): Promise<void>
  /** The audit log, oldest first. What was made unreadable comes where all is asked for. */
  audit(query: AuditQuery): Promise<readonly AuditRow[]>
  /**
   * Checks the log in itself, with the journals, and with heads that were noted elsewhere. Reads all of it, in bounded
   * memory and without getting in anybody's way.
   */
  verifyAudit(noted?: readonly AuditHead[]): Promise<AuditVerification>
  /**
   * Deletes threads of which every run is done, each with its journal, its runs, its holds, the grants that end with it,
   * and the tasks about its runs; then tasks that are over. A page of them, so that nobody waits for long.
   */
  prune(query: PruneQuery): Promise<PrunedPage>
  /**
   * Calls back after journals grew, until it is disposed of: with the thread and its newest `seq` for what was written
   * through this store object, with `null` where another process, or another object on the same store, wrote anything.
   * Never during a transaction; a call back may come without cause, and one may stand for many changes. Costs nothing
   * while nobody watches.
   */
  watch(onChange: (change: Growth | null) => void): Disposable
}

import type { KeptFold } from '../../core/folds/kept-fold.ts'
import type { NewHold } from '../../core/hold/hold.ts'
import type { JournalEvent, PlainEvent } from '../../core/journal/event.ts'
import type { Lease, RowChange } from './runs.ts'

/** One transaction of the owner of the lease. */
export interface Commit {
  readonly events: readonly PlainEvent[]
  readonly opens?: readonly NewHold[]
  readonly run?: RowChange
  /** Written only if no other writer appended since `after`; otherwise all of it is left out. */
  readonly rest?: Rest
}

/** The end of a run, or of one advance: written after the other events of its commit, or not at all. */
export interface Rest {
  readonly events: readonly PlainEvent[]
  readonly opens?: readonly NewHold[]
  readonly run?: RowChange
  /** Ids of open holds that can no longer be decided. */
  readonly withdraws?: readonly string[]
  /** Gives the lease back. */
  readonly release: boolean
}

/** Events in their place, oldest first, with those that others appended since `after`. */
export interface Appended {
  readonly events: readonly JournalEvent[]
  /** False if `rest` was left out because others wrote meanwhile: there may be more to do. */
  readonly rested: boolean
}

/** A thread that has grown, and its newest `seq`. */
export interface Growth {
  readonly thread_id: string
  readonly seq: number
}

/** Journals: events of threads, appended and never rewritten. */
export interface JournalStore {
  /**
   * Writes all of the commit or none of it. `after` is the last `seq` that the caller has. @throws LeaseLostError (P7);
   * StoreSetBackError if the journal ends before `after`
   */
  append(lease: Lease, after: number, commit: Commit): Promise<Appended>
  /** At most `limit` events of a thread with `seq` above `after` (default 0), oldest first; empty for an unknown thread. */
  journal(threadId: string, after?: number, limit?: number): Promise<readonly JournalEvent[]>
  /** The newest kept fold of a thread; `null` if there is none of this version. A shortcut, and never the truth. */
  keptFold(threadId: string): Promise<KeptFold | null>
  /** Keeps a fold in the place of an older one. One that is too large is left. */
  keepFold(fold: KeptFold): Promise<void>
  /** The newest `seq` of each of these threads, by id, in one query; an unknown thread is left out. */
  newest(threadIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /**
   * The `seq` of the message that has this id in its thread; `null` if none has. A write with a second one is refused
   * with `duplicate_input`, and nothing of it is written.
   */
  findInput(threadId: string, inputId: string): Promise<number | null>
  /**
   * Calls back after journals grew, until it is disposed of. It gives the thread and its newest `seq` if this store
   * object wrote. It gives `null` if another process, or another object on the same store, may have written anything.
   * It never calls during a transaction. A call may have no cause, and one call may cover many changes. Costs nothing
   * while there is no listener.
   */
  watch(onChange: (change: Growth | null) => void): Disposable
}

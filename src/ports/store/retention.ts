import type { Amount } from '../../core/count.ts'

/** Which threads are to go: finished ones, in which nothing happened since. */
export interface PruneQuery {
  /** ISO time. */
  readonly before: string
  /** Returns what would be deleted, and deletes nothing. */
  readonly dry_run: boolean
  /** The requester, and the surface. */
  readonly by: string
  readonly surface: string
  /** The `next` of the page before this one. */
  readonly after?: string
}

/** The amounts of one thread. `bytes` are those of its journal and its holds. */
export interface PrunedThread {
  readonly thread_id: string
  readonly runs: Amount
  readonly holds: Amount
  readonly events: Amount
  readonly grants: Amount
  /** Tasks about one of its runs. */
  readonly tasks: Amount
  readonly bytes: Amount
}

/** One page of the data that a prune deletes. */
export interface PrunedPage {
  readonly threads: readonly PrunedThread[]
  /** Ids of the tasks that go: tasks about a run of these threads, and tasks that are over and about no run that is left. */
  readonly tasks: readonly string[]
  /** The cursor of the next page; `null` if there are no more. */
  readonly next: string | null
}

/** How long finished work is kept. */
export interface Retention {
  /**
   * Deletes threads of which every run is done, each with its journal, its runs, its holds, the grants that end with it,
   * and the tasks about its runs; then tasks that are over. One page at a time, so that no writer waits for long.
   */
  prune(query: PruneQuery): Promise<PrunedPage>
}

import type { NewAuditEntry } from '../../core/audit/audit.ts'
import type { Lease, RunRow } from './runs.ts'

/** The runs that a worker wants to see. */
export interface RunQueueQuery {
  /** That run alone. */
  readonly run_id?: string
  readonly limit: number
  /** False: without the runs of tasks, which go on in processes of their own. Default: true. */
  readonly tasks?: boolean
  /** The last run id of the page before this one. */
  readonly after?: string
}

/** A lease as it was seen. Each renewal changes `until`. */
export type SeenLease = Pick<Lease, 'run_id' | 'owner' | 'fence' | 'until'>

/** The runs that can be advanced now. Its cost does not grow with the runs that wait or are done. */
export interface RunQueue {
  /**
   * Runs that are `running`, without a lease, not in a thread that moved to another store, and not before their
   * `retry_at`. Oldest first. A run whose task waits for its turn is not among them.
   */
  readyRuns(query: RunQueueQuery): Promise<readonly RunRow[]>
  /** Runs that are `running` under a lease, whether it ran out or not. Oldest first. */
  leasedRuns(query: RunQueueQuery): Promise<readonly RunRow[]>
  /**
   * Makes a run ready whose owner is gone, or no longer renews its lease: a compare-and-set on the lease as it was
   * seen. False if its owner renewed it meanwhile, or it has another one. No clock is asked. The old owner is refused
   * from here on (P7). `entry` is recorded in the same transaction.
   */
  reclaim(lease: SeenLease, entry?: NewAuditEntry): Promise<boolean>
}

import type { Requester } from '../core/task/task-move.ts'
import type { RunRow } from './store/runs.ts'

/** The facts that a worker needs to take up a run. */
export type ReadyRun = Pick<RunRow, 'id' | 'thread_id' | 'parent_run_id'>

/** When to offer a run again that could not be advanced. */
export interface OfferAgain {
  /** Milliseconds by the steady clock; infinity: not to this worker. */
  readonly at: number
  /** Offers the run earlier if its thread grows past this `seq`; `null`: not earlier. */
  readonly seq: number | null
}

/**
 * The runs that one worker may go on with. A run becomes ready in the transaction that makes it so: its start, a decision,
 * a message, an expiry, a cancel, or the reclaim of a lost lease. The source only wakes: the lease and its fence say who
 * advances a run (P7), so a source may offer a run twice, and the sweep of each worker finds the leases that were lost.
 */
export interface ReadyRuns {
  /** At most `limit` runs, the oldest first. It gives out none of them again before `done`. */
  take(limit: number): Promise<readonly ReadyRun[]>
  /** The worker has let go of the run; `again` is set if it could not advance the run. */
  done(run: ReadyRun, again: OfferAgain | null): Promise<void>
  /** Calls back when there may be something to take, until it is disposed of. */
  watch(onReady: () => void): Disposable
}

/**
 * Called for each run that a verb of this process made ready, after that is durable, in the name of the requester. Never
 * throws: a failure harms neither the decision nor the run.
 */
export type OnReadyRun = (runId: string, requester: Requester) => Promise<void>

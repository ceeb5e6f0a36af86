import type { RunPath } from '../../core/run/run-path.ts'
import type { RunQuery, RunRow } from '../../ports/store/runs.ts'
import type { CheckOptions, PendingCheck } from '../holds/check-pending.ts'
import type { ReleasedLease, ReleaseOptions } from '../lease/release-lease.ts'
import type { Cancelled, CancelOptions } from '../threads/cancel-run.ts'
import type { AdvanceOptions, AdvanceResult, Started, StartOptions, StartWithProfile } from '../views/face-options.ts'
import type { CheckpointPlace } from '../views/load-checkpoint.ts'
import type { RunNode } from '../views/run-path.ts'
import type { RunOutline, RunView } from '../views/run-view.ts'

/** Starts, advances and ends runs, and reports their status. */
export interface Runs {
  /** Makes a run durable; `advance` moves it. @throws RefusedError for an unknown agent, no input, or a thread that moved on. */
  start(request: StartOptions | StartWithProfile): Promise<Started>

  /**
   * Works on a run until it waits or is done. @throws RefusedError `unknown_run`, LeaseLostError, or the store's own
   * error; after any error, the run can be advanced again.
   */
  advance(runId: string, options?: AdvanceOptions): Promise<AdvanceResult>

  /**
   * Ends a run for good: open holds are withdrawn at once, running tools are asked to stop.
   * @throws RefusedError `unknown_run`; after any other error the request is on record, and the next process that
   * advances the run carries it out.
   */
  cancel(runId: string, options: CancelOptions): Promise<Cancelled>

  /**
   * Frees a run from a process on a host that is gone, and records who did. @throws RefusedError `unknown_run`,
   * `not_leased`, or `owner_alive`
   */
  release(runId: string, options: ReleaseOptions): Promise<ReleasedLease>

  /** A run in its present or final state. @throws RefusedError `unknown_run` */
  run(id: string): Promise<RunView>

  /** The same without the messages of its thread, and so at once even if its journal is long. @throws RefusedError `unknown_run` */
  runOutline(id: string): Promise<RunOutline>

  /** Lists the runs that fit all fields of the query, newest first. */
  runs(query?: RunQuery): Promise<readonly RunRow[]>

  /**
   * Lists runs, each below the run whose agent started it. That parent is included even if the query does not ask for
   * it.
   */
  runTree(query?: RunQuery): Promise<readonly RunNode[]>

  /** By run id: the runs whose agents started it, from the first one down to the run itself. */
  runPaths(runIds: readonly string[]): Promise<ReadonlyMap<string, RunPath>>

  /** The run as it stood at a checkpoint, with the holds that were open then. */
  viewAt(place: CheckpointPlace): Promise<RunView>

  /** Whether each open pause can go on under the current definitions, oldest first; nothing is changed (P9). */
  checkPending(options?: CheckOptions): AsyncGenerator<PendingCheck, void, undefined>
}

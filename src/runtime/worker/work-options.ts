/** The options and the events of `work`. */

import type { DueEvent } from '../../core/deadlines/next-due.ts'
import {
  A_FLAG,
  A_FUNCTION,
  A_SIGNAL,
  AN_OBJECT,
  checkFields,
  type FieldRule,
  type Rules,
} from '../../core/given-fields.ts'
import type { Dispatcher } from '../../ports/dispatcher.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { AdvanceResult } from '../views/face-options.ts'
import type { RunView } from '../views/run-view.ts'

/** The options of `work`. */
export interface WorkOptions {
  /** How many runs are advanced side by side, at most. Default: 4. */
  readonly concurrency?: number
  /** Until nothing can be done any more, instead of waiting for more. Failed runs are not tried again then. */
  readonly once?: boolean
  /** False: the runs of tasks are left to the processes of these tasks. Default: true. */
  readonly tasks?: boolean
  /** Aborting it drains: no further run is begun, and those under way may finish or pause. Then `work` resolves. */
  readonly signal?: AbortSignal
  /** How long those may take (milliseconds) before they are stopped at a safe point. Default: 20,000. */
  readonly graceMs?: number
  /** Aborting it stops those under way at once, at their next safe point; no further one is begun. */
  readonly stopSignal?: AbortSignal
  /** Called after each event. */
  readonly onEvent?: (event: WorkEvent) => void
  /**
   * An engine that spreads ready runs over workers. Default: none, and each worker looks after each change. With `once` it is
   * not asked.
   */
  readonly dispatcher?: Dispatcher
  /** The way to advance a run. Default: `advance(run.id, { signal, waitForModel: true })`. If it throws, this run alone backs off. */
  readonly advance?: Advance
}

const AT_LEAST_ONE: FieldRule = ['a whole number from 1', value => Number.isSafeInteger(value) && Number(value) >= 1]
const MILLISECONDS: FieldRule = ['milliseconds from 0', value => typeof value === 'number' && value >= 0]

const RULES: Rules<WorkOptions> = {
  ...{
    concurrency: AT_LEAST_ONE,
    once: A_FLAG,
    tasks: A_FLAG,
    graceMs: MILLISECONDS,
    signal: A_SIGNAL,
    stopSignal: A_SIGNAL,
  },
  ...{ onEvent: A_FUNCTION, advance: A_FUNCTION, dispatcher: AN_OBJECT },
}

/** Gives back what it was given. @throws RefusedError `invalid_arguments` */
export const workOptions = (options: WorkOptions): WorkOptions => checkFields('work', options, RULES)

/** Advances one run, as a worker does. */
export type Advance = (
  run: Pick<RunRow, 'id' | 'thread_id' | 'parent_run_id'>,
  options: { readonly signal: AbortSignal; readonly waitForModel: true },
) => Promise<AdvanceResult>

/** An event of a worker. `work.failed`: the store itself could not be asked, or the dispatcher failed; `retry_at` is the time of the next try. */
export type WorkEvent =
  | DueEvent
  | { readonly kind: 'worker.started'; readonly owner: string; readonly concurrency: number }
  | { readonly kind: 'worker.stopped'; readonly owner: string }
  /** The first thing was written of what this worker does with it. */
  | { readonly kind: 'run.taken'; readonly run_id: string; readonly thread_id: string }
  /** It waits, is done, or is `running` still because it was stopped. */
  | { readonly kind: 'run.advanced'; readonly run_id: string; readonly thread_id: string; readonly view: RunView }
  | ({ readonly kind: 'run.failed'; readonly run_id: string; readonly thread_id: string } & Failed)
  /** What was due on this hold could not happen: its row is damaged, or its journal takes no more. Told once. */
  | ({ readonly kind: 'due.failed'; readonly hold_id: string; readonly run_id: string } & Failed)
  | ({ readonly kind: 'work.failed' } & Failed)

interface Failed {
  readonly error: unknown
  /** ISO time; `null` if it is not tried again. */
  readonly retry_at: string | null
}

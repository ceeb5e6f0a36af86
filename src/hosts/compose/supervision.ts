/** Tasks of runs: wakes them when their runs become ready, and finds them for receipts. */
import { messageOf, RefusedError } from '../../core/errors.ts'
import type { Task, TaskStatus } from '../../core/task/task.ts'
import type { Control } from '../../ports/agent/control.ts'
import type { OnReadyRun } from '../../ports/ready-runs.ts'
import type { Store } from '../../ports/store/store.ts'
import type { EmbeddedHoldpoint } from '../../runtime/holdpoint.ts'

/** One that failed was interrupted, because its run was not over; one under way may be lost, or come to rest just now. */
const MAY_GO_ON: Record<TaskStatus, boolean> = {
  ...{ pending: true, running: true, paused: true, failed: true },
  ...{ completed: false, cancelled: false, timed_out: false },
}

export interface SupervisionDeps {
  readonly holdpoint: EmbeddedHoldpoint
  readonly store: Pick<Store, 'tasks'>
}

export class Supervision {
  readonly #site: SupervisionDeps
  /** Why the task of a run could not be woken, by run. */
  readonly #refusals = new Map<string, RefusedError>()

  constructor(site: SupervisionDeps) {
    this.#site = site
    site.holdpoint.madeReady.subscribe(this.#wake)
  }

  controls(): Promise<readonly Control[]> {
    return this.#site.holdpoint.tasks.controls()
  }

  /**
   * If a run that became ready is a task, wakes the task. This process may be unable to go on with it, for want of a
   * key perhaps. Then a process that waits for the task, or a worker, goes on.
   */
  readonly #wake: OnReadyRun = async (runId, requester) => {
    try {
      const task = await this.taskOf(runId)
      if (task && MAY_GO_ON[task.status]) await this.#site.holdpoint.tasks.wake(runId, requester)
    } catch (thrown) {
      if (thrown instanceof RefusedError) this.#refusals.set(runId, thrown)
      else process.emitWarning(messageOf(thrown))
    }
  }

  /** The recorded task of a run; `null` if there is none. */
  async taskOf(runId: string): Promise<Task | null> {
    return (await this.#site.store.tasks.tasks({ subject: runId, limit: 1 }))[0] ?? null
  }

  /** Why this process could not go on with the task of a run; `null` if it could, or did not try. */
  refusalOf(runId: string): RefusedError | null {
    return this.#refusals.get(runId) ?? null
  }
}

/** Tasks of runs: wakes them when their runs become ready, and finds them for receipts. */
import { messageOf, RefusedError } from '../../core/errors.ts'
import type { Task, TaskStatus } from '../../core/task/task.ts'
import type { Control } from '../../ports/agent/control.ts'
import type { OnReadyRun } from '../../ports/ready-runs.ts'
import type { Store } from '../../ports/store/store.ts'
import type { EmbeddedHoldpoint } from '../../runtime/holdpoint.ts'

/** A failed task was interrupted, because its run was not over; a running one may be lost, or pause just now. */
const MAY_GO_ON: Record<TaskStatus, boolean> = {
  ...{ pending: true, running: true, paused: true, failed: true },
  ...{ completed: false, cancelled: false, timed_out: false },
}

export interface SupervisionDeps {
  readonly holdpoint: EmbeddedHoldpoint
  readonly store: Pick<Store, 'tasks'>
}

export class Supervision {
  readonly #deps: SupervisionDeps
  /** Why the task of a run could not be woken, by run. */
  readonly #refusals = new Map<string, RefusedError>()

  constructor(deps: SupervisionDeps) {
    this.#deps = deps
    deps.holdpoint.madeReady.subscribe(this.#wake)
  }

  controls(): Promise<readonly Control[]> {
    return this.#deps.holdpoint.background.controls()
  }

  /**
   * Wakes the task of a run that became ready. This process may be unable to continue it, for want of a key perhaps.
   * Then a process that waits for the task, or a worker, continues it.
   */
  readonly #wake: OnReadyRun = async (runId, requester) => {
    try {
      const task = await this.taskOf(runId)
      if (!task || !MAY_GO_ON[task.status]) return
      const { agentTasks } = await this.#deps.holdpoint.background.opened()
      await agentTasks.wake(runId, requester)
    } catch (thrown) {
      if (thrown instanceof RefusedError) this.#refusals.set(runId, thrown)
      else process.emitWarning(messageOf(thrown))
    }
  }

  /** The recorded task of a run; `null` if there is none. */
  async taskOf(runId: string): Promise<Task | null> {
    return (await this.#deps.store.tasks.tasks({ subject: runId, limit: 1 }))[0] ?? null
  }

  /** Why this process could not go on with the task of a run; `null` if it could, or did not try. */
  refusalOf(runId: string): RefusedError | null {
    return this.#refusals.get(runId) ?? null
  }
}

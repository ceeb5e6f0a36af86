/** Tasks and agents as tasks, put together when they are first used. */
import { messageOf, RefusedError } from '../../core/errors.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Task, TaskStatus } from '../../core/task/task.ts'
import type { Control } from '../../ports/agent/control.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Dispatcher } from '../../ports/dispatcher.ts'
import type { TaskManager } from '../../ports/process/task-manager.ts'
import type { Store } from '../../ports/store/store.ts'
import type { AgentTasks } from '../../runtime/agent-tasks/agent-tasks.ts'
import type { ControlDeps } from '../../runtime/agent-tasks/controls/controls.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import { systemIds } from '../process/system-ids.ts'

/** One that failed was interrupted, because its run was not over; one under way may be lost, or come to rest just now. */
const MAY_GO_ON: Record<TaskStatus, boolean> = {
  ...{ pending: true, running: true, paused: true, failed: true },
  ...{ completed: false, cancelled: false, timed_out: false },
}

export interface SupervisionDeps {
  readonly holdpoint: Holdpoint
  readonly store: Store
  readonly agents: AgentRegistry
  readonly clock: Clock
  readonly openManager: () => Promise<TaskManager>
  /** Within what agents are started that no run starts. */
  readonly bounds: () => Promise<Profile>
}

interface OpenedTasks extends ControlDeps {
  readonly agentTasks: AgentTasks
}

export class Supervision {
  readonly #site: SupervisionDeps
  #opened: Promise<OpenedTasks> | null = null
  /** Why the task of a run could not be woken, by run. */
  readonly #refusals = new Map<string, RefusedError>()

  constructor(site: SupervisionDeps) {
    this.#site = site
  }

  async controls(): Promise<readonly Control[]> {
    const { agentControls } = await import('../../runtime/agent-tasks/controls/controls.ts')
    return agentControls(() => this.controlSite())
  }

  controlSite(): Promise<OpenedTasks> {
    this.#opened ??= this.#open()
    return this.#opened
  }

  /**
   * If a run that became ready is a task, wakes the task. This process may be unable to go on with it, for want of a
   * key perhaps. Then a process that waits for the task, or a worker, goes on.
   */
  readonly dispatch: Dispatcher = async (runId, asker) => {
    try {
      const task = await this.taskOf(runId)
      if (task && MAY_GO_ON[task.status]) await (await this.controlSite()).agentTasks.wake(runId, asker)
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

  async #open(): Promise<OpenedTasks> {
    const { holdpoint, store, agents, clock, openManager, bounds } = this.#site
    const { AgentTasks } = await import('../../runtime/agent-tasks/agent-tasks.ts')
    const { CONTROL_NAMES } = await import('../../runtime/agent-tasks/controls/controls.ts')
    const { agentProcesses } = await import('./agent-processes.ts')
    const processes = agentProcesses({ agents, storeUrl: store.url, bounds })
    const site = { holdpoint, store, agents, tasks: await openManager(), processes, ids: systemIds, clock }
    return { site, agentTasks: new AgentTasks(site, CONTROL_NAMES) }
  }
}

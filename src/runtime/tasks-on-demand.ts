import type { Invocation } from '../core/task/task.ts'
import type { Requester } from '../core/task/task-move.ts'
import type { Control } from '../ports/agent/control.ts'
import type { OutputRequest, TaskOutput } from '../ports/process/task-manager.ts'
import type { TaskQuery } from '../ports/store/fleet/task-registry.ts'
import type { FaceOfTasks, RecordDecisions } from './agent-tasks/agent-task.ts'
import type { AgentTasks } from './agent-tasks/agent-tasks.ts'
import type { ControlDeps } from './agent-tasks/controls/controls.ts'
import type {
  ChildRequest,
  CommandRequest,
  Starter,
  TaskDetails,
  TaskPage,
  TaskResumption,
  TaskSummary,
  Tasks,
  TasksWaited,
  TaskWaitRequest,
} from './face/tasks.ts'

export interface OpenedTasks extends ControlDeps {
  readonly agentTasks: AgentTasks
}

/** A host's way to open the tasks over a face. */
export type OpenTasks = (face: FaceOfTasks, record: RecordDecisions) => Promise<OpenedTasks>

/** The tasks of a face, opened when they are first used: most processes have nothing to do with them. */
export class TasksOnDemand implements Tasks {
  readonly #openTasks: () => Promise<OpenedTasks>
  #opened: Promise<OpenedTasks> | null = null

  constructor(openTasks: () => Promise<OpenedTasks>) {
    this.#openTasks = openTasks
  }

  /** The verbs as agents and clients are offered them. */
  async controls(): Promise<readonly Control[]> {
    const { agentControls } = await import('./agent-tasks/controls/controls.ts')
    return agentControls(() => this.openOnce())
  }

  /** If a run that became ready has a task, wakes the task. */
  async wake(runId: string, requester: Requester): Promise<void> {
    await (await this.#open()).wake(runId, requester)
  }

  async startCommand(request: CommandRequest, starter: Starter): Promise<TaskSummary> {
    return (await this.#open()).startCommand(request, starter)
  }

  async startAgent(request: ChildRequest, starter: Starter): Promise<TaskSummary> {
    return (await this.#open()).startAgent(request, starter)
  }

  async details(taskId: string, asker: Requester, outputBytes?: number): Promise<TaskDetails> {
    return (await this.#open()).details(taskId, asker, outputBytes)
  }

  async output(taskId: string, request: OutputRequest): Promise<TaskOutput> {
    return (await this.#open()).output(taskId, request)
  }

  async invocation(taskId: string, n: number | null): Promise<Invocation> {
    return (await this.#open()).invocation(taskId, n)
  }

  async list(query?: TaskQuery): Promise<TaskPage> {
    return (await this.#open()).list(query)
  }

  async wait(taskIds: string | readonly string[], request: TaskWaitRequest): Promise<TasksWaited> {
    return (await this.#open()).wait(taskIds, request)
  }

  async cancel(taskId: string, asker: Requester & { readonly reason?: string | null }): Promise<TaskSummary> {
    return (await this.#open()).cancel(taskId, asker)
  }

  async resume(taskId: string, resumption: TaskResumption): Promise<TaskSummary> {
    return (await this.#open()).resume(taskId, resumption)
  }

  async goOn(taskId: string, asker: Requester): Promise<TaskSummary> {
    return (await this.#open()).goOn(taskId, asker)
  }

  async #open(): Promise<AgentTasks> {
    return (await this.openOnce()).agentTasks
  }

  openOnce(): Promise<OpenedTasks> {
    this.#opened ??= this.#openTasks()
    return this.#opened
  }
}

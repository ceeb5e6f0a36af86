import type { Invocation } from '../core/task/task.ts'
import type { Requester } from '../core/task/task-move.ts'
import type { OutputRequest, TaskOutput } from '../ports/process/task-manager.ts'
import type { TaskQuery } from '../ports/store/task-registry.ts'
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

/** The tasks of a face, opened when they are first used: most processes have nothing to do with them. */
export class TasksOnDemand implements Tasks {
  readonly #open: () => Promise<Tasks>

  constructor(open: () => Promise<Tasks>) {
    this.#open = open
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

  async wait(taskIds: readonly string[], request: TaskWaitRequest): Promise<TasksWaited> {
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
}

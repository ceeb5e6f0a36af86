import type { Invocation, Task, TaskStatus } from '../../core/task/task.ts'
import type { NewTask, TaskMove } from '../../core/task/task-move.ts'

/** Chooses tasks. All that is given must fit. */
export interface TaskQuery {
  /** Only these; unknown ids are left out. */
  readonly ids?: readonly string[]
  readonly status?: TaskStatus
  readonly kind?: string
  readonly subject?: string
  readonly limit?: number
  /** The last task id of the page before this one. */
  readonly after?: string
}

/** The durable memory of tasks. Each method is one transaction, as in `Store`. */
export interface TaskRegistry {
  /** @throws RefusedError `task_exists` if the id or the subject is taken. */
  create(task: NewTask): Promise<Task>
  task(id: string): Promise<Task | null>
  /** Newest first. */
  tasks(query: TaskQuery): Promise<readonly Task[]>
  /** Oldest first; empty for an unknown task. */
  invocations(taskId: string): Promise<readonly Invocation[]>
  /** `null` if the task has moved on or is unknown: nothing was written. */
  move(move: TaskMove): Promise<Task | null>
  /** Calls back after tasks may have changed, in any process; perhaps without cause. As `JournalStore.watch`. */
  watch(onChange: () => void): Disposable
}

import type { Invocation, Task, TaskStatus } from '../../../core/task/task.ts'
import type { NewTask, Requester, TaskMove } from '../../../core/task/task-move.ts'

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

/** A turn of the start queue. */
export interface TaskTurn {
  readonly kind: string
  /** At most so many of that kind are under way, with the one that is taken; those that wait do not count. */
  readonly most: number
  /** The process that starts it, as `ProcessNames` names it. */
  readonly by: string
}

/** The requester who forgets a task, and the invocation that they saw. */
export interface TaskRemoval extends Requester {
  readonly invocation: number
}

/** The durable memory of tasks. Each method is one transaction, as in `Store`. */
export interface TaskRegistry {
  /**
   * @throws RefusedError `task_exists` if the id or the subject is taken, `name_taken` if another one of its kind that is
   * not over has its name
   */
  create(task: NewTask): Promise<Task>
  task(id: string): Promise<Task | null>
  /** Newest first. */
  tasks(query: TaskQuery): Promise<readonly Task[]>
  /** Oldest first; empty for an unknown task. */
  invocations(taskId: string): Promise<readonly Invocation[]>
  /** `null` if the task has moved on or is unknown: nothing was written. */
  move(move: TaskMove): Promise<Task | null>
  /**
   * Takes the task that has waited longest for its turn, if fewer than `most` of that kind are under way: one transaction,
   * so of any number of callers no two start the same one, and never more than `most` run. `null`: there is no turn, or none
   * waits. From here on `by` must start it; if `by` is gone, it waits again (`TaskManager`).
   */
  takeNext(turn: TaskTurn): Promise<Task | null>
  /**
   * Forgets a task that rests with this invocation; its records and its run stay. False: it moved on, nothing was
   * written.
   */
  remove(taskId: string, removal: TaskRemoval): Promise<boolean>
  /** Calls back after tasks may have changed, in any process; perhaps without cause, like `JournalStore.watch`. */
  watch(onChange: () => void): Disposable
}

import type { Invocation, Task, TaskStatus } from '../../core/task/task.ts'
import type { JsonObject } from '../../core/text/json.ts'

/** Who asks, and from where. */
export interface Requester {
  readonly by: string
  readonly surface: string
}

export interface NewTask extends Requester {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly subject: string | null
  readonly details: JsonObject
  readonly workdir: string
  readonly timeout_ms: number | null
  readonly argv: readonly string[]
}

/** What becomes of an invocation. What is left out stays. */
export type InvocationChange = Partial<
  Pick<Invocation, 'supervisor' | 'process' | 'exit_code' | 'signal' | 'error' | 'stdout_bytes' | 'stderr_bytes'>
>

/**
 * One compare-and-set: nothing happens unless the newest invocation is `invocation`, the status is one of `from`, and,
 * where `supervisor` is given, that is who watches over it. `started_at` and `ended_at` follow from the status.
 */
export interface TaskMove {
  readonly task_id: string
  readonly invocation: number
  readonly from: readonly TaskStatus[]
  /** Whoever watches over it, as far as the mover knows; left out where it does not matter. */
  readonly supervisor?: string | null
  /** Left out where the status stays. To `pending` only together with `next`. */
  readonly to?: TaskStatus
  /** In place of `to`, where somebody wanted it cancelled before. */
  readonly to_if_cancel_requested?: TaskStatus
  readonly change?: InvocationChange
  /** Somebody wants it cancelled, which is known until it rests. One that rests is cancelled at once (`to`), or not at all. */
  readonly cancel?: Requester
  /** Begins the next invocation: the task is `pending` again. */
  readonly next?: Requester & { readonly argv: readonly string[] }
}

export interface TaskQuery {
  /** Only these; unknown ones are left out. */
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
  /** @throws RefusedError `task_exists` where the id or the subject is taken. */
  create(task: NewTask): Promise<Task>
  task(id: string): Promise<Task | null>
  /** Newest first. */
  tasks(query: TaskQuery): Promise<readonly Task[]>
  /** Oldest first; empty for an unknown task. */
  invocations(taskId: string): Promise<readonly Invocation[]>
  /** `null` where it has moved on, or there is none: nothing was written. */
  move(move: TaskMove): Promise<Task | null>
  /** Calls back after tasks may have changed, whoever changed them; perhaps without cause. As `Store.watch`. */
  watch(onChange: () => void): Disposable
}

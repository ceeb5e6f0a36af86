import type { Amount } from '../../core/count.ts'
import type { Invocation, Task } from '../../core/task/task.ts'
import type { NewTask, Requester } from '../../core/task/task-move.ts'
import type { TaskQuery } from '../store/fleet/task-registry.ts'

export interface TaskStart extends Omit<NewTask, 'id'> {
  /** On top of this process's own; `undefined` takes a variable away. Not kept: never written anywhere. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

export interface TaskResume extends Requester, Pick<NewTask, 'waits'> {
  /** The invocation that was seen at rest: refused if the task has moved on since. */
  readonly invocation: Amount
  /** Opaque: made by the caller that knows what the task is. */
  readonly argv: readonly string[]
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** Another rest without a process: what the task is about came to that elsewhere, or before its process was lost. */
export interface TaskSettlement {
  readonly invocation: Amount
  readonly to: 'completed' | 'failed' | 'cancelled' | 'paused'
  readonly error: Invocation['error']
}

export type OutputStream = 'stdout' | 'stderr'

export interface OutputRequest {
  readonly stream: OutputStream
  /** Default: the newest. */
  readonly invocation?: Amount
  /** In bytes from the beginning of all that was printed. Default: 0. Negative: so far before the end. */
  readonly from?: Amount
  /** Default: 64 KiB. */
  readonly limit?: number
}

/** A piece of what was printed, as far as it is kept: the beginning and the end always are. */
export interface TaskOutput {
  /** Bytes that are no UTF-8 became U+FFFD; no character is cut. */
  readonly text: string
  /** The offset of the text; later than `from` if the output there was not kept. */
  readonly from: Amount
  /** The offset to go on from. */
  readonly next: Amount
  /** All that was printed so far. */
  readonly size: Amount
  /** How many bytes between the asked `from` and `from` are not kept. */
  readonly missing: Amount
}

export interface TaskWait {
  readonly signal?: AbortSignal
  /** `any` (default): until one rests. `all`: until each does. */
  readonly until?: 'any' | 'all'
}

/**
 * Runs commands as processes of their own, each under a detached supervisor that outlives its starter. Knows nothing of
 * agents: exit code 10 of any command means that a person is needed.
 */
export interface TaskManager {
  /**
   * Resolves once the task is durable and its supervisor was started; one that cannot be started is `failed`, with an
   * error that says why. @throws RefusedError `invalid_command`, `task_exists`
   */
  start(request: TaskStart): Promise<Task>
  /**
   * Starts the supervisor, when its turn comes, of a task whose invocation (default: its first) its caller made durable, together with its
   * subject (`Store.start`). Else as `start`. @throws RefusedError `unknown_task`
   */
  launch(taskId: string, environment?: TaskStart['environment'], invocation?: number): Promise<Task>
  /** True if only so many run at once: then a task with `waits` is started when its turn comes. */
  readonly isLimited: boolean
  /** Starts what waits, in order, as far as there are turns. A start that fails is told in its task. */
  startWaiting(): Promise<void>
  /** As it is now: one whose supervisor was lost is `failed`, and what was left of it is stopped. `null`: unknown. */
  task(id: string): Promise<Task | null>
  tasks(query?: TaskQuery): Promise<readonly Task[]>
  invocations(taskId: string): Promise<readonly Invocation[]>
  /** @throws RefusedError `unknown_task`, `unknown_invocation` */
  output(taskId: string, request: OutputRequest): Promise<TaskOutput>
  /** Resolves to the tasks as they are when the wait is over; also when its signal is aborted. @throws RefusedError `unknown_task` */
  wait(taskIds: readonly string[], options?: TaskWait): Promise<readonly Task[]>
  /**
   * Resolves once nothing of it runs any more, and it cannot be resumed. A task that is over stays as it is. @throws
   * RefusedError `unknown_task`; `not_cancelled_yet` if its supervisor is out of reach: the wish is on record
   */
  cancel(taskId: string, asker: Requester): Promise<Task>
  /** The next invocation of a task that rests paused or failed. @throws RefusedError `unknown_task`, `task_moved_on` */
  resume(taskId: string, request: TaskResume): Promise<Task>
  /** For a task that rests paused or failed. `null` if it has moved on: nothing was written. */
  settle(taskId: string, settlement: TaskSettlement): Promise<Task | null>
  /** Removes what is kept of the output of tasks that are in the registry no more. */
  sweepOutput(): Promise<void>
  watch(onChange: () => void): Disposable
}

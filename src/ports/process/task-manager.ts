import type { Amount } from '../../core/count.ts'
import type { Invocation, Task } from '../../core/task/task.ts'
import type { NewTask, Requester } from '../../core/task/task-move.ts'
import type { TaskQuery } from '../store/fleet/task-registry.ts'

export interface TaskStart extends Omit<NewTask, 'id'> {
  /** On top of this process's own; `undefined` takes a variable away. Not kept: never written anywhere. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

export interface TaskResume extends Requester, Pick<NewTask, 'waits'> {
  /** The newest invocation that the requester saw: refused if the task has moved on since. */
  readonly invocation: Amount
  /** Opaque: made by the caller that knows what the task is. */
  readonly argv: readonly string[]
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** Another final status without a process: the subject of the task ended elsewhere, or before its process was lost. */
export interface TaskSettlement {
  readonly invocation: Amount
  readonly to: 'completed' | 'failed' | 'cancelled' | 'paused'
  readonly error: Invocation['error']
}

export type OutputStream = 'stdout' | 'stderr'

/** The part of the output of a task that is wanted. */
export interface OutputRequest {
  readonly stream: OutputStream
  /** Default: the newest. */
  readonly invocation?: Amount
  /** In bytes from the beginning of all that was printed. Default: 0. Negative: so far before the end. */
  readonly from?: Amount
  /** Default: 64 KiB. */
  readonly limit?: number
}

/** A piece of the printed output, as far as it is kept: the beginning and the end always are. */
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
  /** `any` (default): until one task rests. `all`: until each does. */
  readonly until?: 'any' | 'all'
}

/**
 * Runs commands as processes of their own, each under a detached supervisor that outlives its starter. Knows nothing of
 * agents: exit code 10 of any command means that a person is needed.
 */
export interface TaskManager {
  /**
   * Resolves once the task is durable and its supervisor was started; a task that cannot be started is `failed`, with
   * an error that gives the reason. @throws RefusedError `invalid_command`, `task_exists`
   */
  start(request: TaskStart): Promise<Task>
  /**
   * Starts the supervisor of a task when its turn comes up. The caller has made the invocation (default: the first)
   * durable, together with its subject (`Store.start`). Otherwise like `start`. @throws RefusedError `unknown_task`
   */
  launch(taskId: string, environment?: TaskStart['environment'], invocation?: number): Promise<Task>
  /** True if the number of running tasks is limited: then a task with `waits` is started when its turn comes up. */
  readonly isLimited: boolean
  /** Starts waiting tasks, in order, as far as there are turns. A start that fails is recorded in its task. */
  startWaiting(): Promise<void>
  /**
   * The task as it is now. If its supervisor was lost, it is `failed`, and its remaining processes are stopped. `null`:
   * unknown.
   */
  task(id: string): Promise<Task | null>
  tasks(query?: TaskQuery): Promise<readonly Task[]>
  invocations(taskId: string): Promise<readonly Invocation[]>
  /** @throws RefusedError `unknown_task`, `unknown_invocation` */
  output(taskId: string, request: OutputRequest): Promise<TaskOutput>
  /** Resolves to the tasks as they are when the wait is over; also when its signal is aborted. @throws RefusedError `unknown_task` */
  wait(taskIds: readonly string[], options?: TaskWait): Promise<readonly Task[]>
  /**
   * Resolves once nothing of the task runs any more; then it cannot be resumed. A task that is over stays as it is.
   * @throws RefusedError `unknown_task`; `not_cancelled_yet` if its supervisor is out of reach: the wish is on record
   */
  cancel(taskId: string, asker: Requester): Promise<Task>
  /**
   * Starts the next invocation of a task that rests paused or failed. @throws RefusedError `unknown_task`,
   * `task_moved_on`
   */
  resume(taskId: string, request: TaskResume): Promise<Task>
  /** Settles a task that rests paused or failed. `null` if it has moved on: nothing was written. */
  settle(taskId: string, settlement: TaskSettlement): Promise<Task | null>
  /** Removes the kept output of tasks that are no longer in the registry. */
  sweepOutput(): Promise<void>
  watch(onChange: () => void): Disposable
}

import type { Amount } from '../count.ts'
import { isJsonObject, type JsonObject } from '../text/json.ts'
import type { MaybeUnreadable } from '../unreadable.ts'

/** docs/design/tasks.md#statuses. `paused`: the process exited with 10, so a person is needed. */
export type TaskStatus = 'pending' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'timed_out'

const no = null

/**
 * Every legal move; anything else is refused and changes nothing. From paused or failed to another final status: the
 * subject reached it without the task, or before its process was lost. From completed to pending: the task gets more
 * work.
 */
// biome-ignore format: the table is the documentation
export const TASK_MAY_BECOME: Record<TaskStatus, Record<TaskStatus, true | null>> = {
  pending:   { pending: no,   running: true, paused: no,   completed: no,   failed: true, cancelled: true, timed_out: no },
  running:   { pending: no,   running: no,   paused: true, completed: true, failed: true, cancelled: true, timed_out: true },
  paused:    { pending: true, running: no,   paused: no,   completed: true, failed: true, cancelled: true, timed_out: no },
  completed: { pending: true, running: no,   paused: true,   completed: no,   failed: no,   cancelled: no,   timed_out: no },
  failed:    { pending: true, running: no,   paused: true, completed: true, failed: no,   cancelled: true, timed_out: no },
  cancelled: { pending: no,   running: no,   paused: no,   completed: no,   failed: no,   cancelled: no,   timed_out: no },
  timed_out: { pending: no,   running: no,   paused: no,   completed: no,   failed: no,   cancelled: no,   timed_out: no },
}

export const TASK_STATUSES: readonly TaskStatus[] = Object.keys(TASK_MAY_BECOME) as TaskStatus[]

/** True for a status in which nothing more happens to the task by itself. */
export const TASK_RESTS: Record<TaskStatus, boolean> = {
  pending: false,
  running: false,
  paused: true,
  completed: true,
  failed: true,
  cancelled: true,
  timed_out: true,
}

/** The exit code of docs/design/command-line.md#exit-codes: a person is needed. */
const PAUSED = 10

/** The status after an exit; `null` is an end by a signal. */
export function statusAfterExit(exitCode: number | null): TaskStatus {
  if (exitCode === PAUSED) return 'paused'
  return exitCode === 0 ? 'completed' : 'failed'
}

/** The run that a subject names: the id of a run shows what it is. `null`: no run. */
export function runAbout(subject: string | null): string | null {
  return subject?.startsWith('run_') ? subject : null
}

/** One process of a task, from its request to its end. */
export interface Invocation {
  /** From 1. */
  readonly n: Amount
  /** The task's status while this is its newest invocation; then the final status. */
  readonly status: TaskStatus
  /** Never a shell string. */
  readonly argv: readonly string[]
  /** The requester, and the surface. */
  readonly by: string
  readonly surface: string
  /** ISO times; `null` if it has not begun, or not ended. */
  readonly asked_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  /** The supervisor, as `Liveness.self` names it; `null` while there is none. It begins with `queue` while it waits for its turn. */
  readonly supervisor: string | null
  /** The process itself, in the same form. Never trusted once that process has ended. */
  readonly process: string | null
  readonly exit_code: Amount | null
  readonly signal: string | null
  /** Why it has no exit of its own: it could not be started, its supervisor was lost, or its subject ended. */
  readonly error: { readonly code: string; readonly message: string } | null
  /** All that was printed, kept or not. `null` while it runs. */
  readonly stdout_bytes: Amount | null
  readonly stderr_bytes: Amount | null
}

export interface Task extends MaybeUnreadable {
  readonly id: string
  readonly status: TaskStatus
  /** The starter's name for it: `command`, `agent`. The task manager does not look at it. */
  readonly kind: string
  /** One line for people. */
  readonly title: string
  /** The subject in the starter's words, such as a run's id: at most one task has it. `null`: none. */
  readonly subject: string | null
  /** Data that the starter wants to find again. The task manager does not look at it. */
  readonly details: JsonObject
  /** Absolute. */
  readonly workdir: string
  /** The host of its processes and files (`HostStore`); `null`: the machine of the store. */
  readonly host: string | null
  /** The time limit of each invocation; `null`: none. */
  readonly timeout_ms: number | null
  readonly created_at: string
  readonly updated_at: string
  /** The requester of a cancel that is not carried out yet; `null`: none. */
  readonly cancel_requested_by: string | null
  /** The newest invocation. */
  readonly invocation: Invocation
}

/** The details of a task whose row was damaged: its name, and its settings for staying, are lost. */
export const UNREADABLE_DETAILS: JsonObject = { unreadable: true }

export function isUnreadable({ details }: Pick<Task, 'details'>): boolean {
  return isJsonObject(details) && details['unreadable'] === true
}

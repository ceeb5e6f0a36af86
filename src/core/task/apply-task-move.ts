import type { RefusedError } from '../errors.ts'
import { taskRefusals } from '../refusals/task-refusals.ts'
import { type Invocation, TASK_MAY_BECOME, TASK_RESTS, type Task, type TaskStatus } from './task.ts'
import type { NewTask, TaskMove } from './task-move.ts'

/** The rows of a task after a move. */
export interface MovedTask {
  /** The status that the move leads to; `null` if the status stays. */
  readonly to: TaskStatus | null
  readonly status: TaskStatus
  /** The number of the newest invocation. */
  readonly newest: number
  readonly cancel_requested_by: string | null
  /** The invocation that was the newest one. */
  readonly invocation: Invocation
}

/** `at` is in milliseconds since 1970. `null` if the task has moved on since it was seen: nothing is to be written. */
export function applyTaskMove(task: Task, move: TaskMove, at: number): MovedTask | null {
  if (!isAsSeen(task, move)) return null
  const to = destination(move, task)
  const status = to ?? task.status
  const wanted = task.cancel_requested_by ?? move.cancel?.by ?? null
  return {
    to,
    status,
    newest: task.invocation.n + (move.next ? 1 : 0),
    cancel_requested_by: TASK_RESTS[status] || move.next ? null : wanted,
    invocation: invocationAfter(task.invocation, { ...move, to }, at),
  }
}

/** The status after a move; `null` if the status stays. */
function destination({ to, to_if_cancel_requested, next }: TaskMove, task: Task): TaskStatus | null {
  if (next) return 'pending'
  return (task.cancel_requested_by !== null ? to_if_cancel_requested : null) ?? to ?? null
}

function destinations({ to, to_if_cancel_requested = to, next }: TaskMove): readonly TaskStatus[] {
  return next ? ['pending'] : [to, to_if_cancel_requested].filter(status => status !== undefined)
}

/** A move that is a mistake of the caller in any state of the task. @throws RefusedError `illegal_task_move` */
export function refuseIllegalMove(move: TaskMove): void {
  for (const to of destinations(move)) {
    const wrong = move.from.find(from => !TASK_MAY_BECOME[from][to])
    if (wrong !== undefined) throw taskRefusals.illegal(`one that is ${wrong} cannot become ${to}`)
  }
  if (move.next ? (move.to ?? 'pending') !== 'pending' : move.to === 'pending')
    throw taskRefusals.illegal('it is pending with its next invocation, and only then')
  const { to } = move
  if (move.cancel && to !== 'cancelled' && move.from.some(from => TASK_RESTS[to ?? from]))
    throw taskRefusals.illegal('one that rests is cancelled at once, or not at all')
}

function isAsSeen({ status, invocation }: Task, move: TaskMove): boolean {
  return (
    invocation.n === move.invocation &&
    move.from.includes(status) &&
    (move.supervisor === undefined || move.supervisor === invocation.supervisor)
  )
}

type Moving = Pick<TaskMove, 'next' | 'change'> & { readonly to: TaskStatus | null }

/** A second final status in a row ends no process: the first time stays. */
function invocationAfter(before: Invocation, { to, next, change }: Moving, at: number): Invocation {
  const time = new Date(at).toISOString()
  const after = { ...before, ...change }
  if (to === null || next) return after
  const started_at = to === 'running' ? time : before.started_at
  return { ...after, status: to, started_at, ended_at: TASK_RESTS[to] ? (before.ended_at ?? time) : null }
}

/** `taken` is the task that has the id or the subject of the new one. */
export function taskExists({ id, subject }: Pick<NewTask, 'id' | 'subject'>, taken: Pick<Task, 'id'>): RefusedError {
  const what = taken.id === id ? '' : ` about ${subject}`
  return taskRefusals.taskExists(what, taken.id)
}

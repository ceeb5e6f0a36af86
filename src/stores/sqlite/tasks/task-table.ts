import { WAITS_FOR_TURN } from '../../../core/task/start-queue.ts'
import type { Invocation, Task, TaskStatus } from '../../../core/task/task.ts'
import type { NewTask, Requester } from '../../../core/task/task-move.ts'
import type { TaskQuery, TaskTurn } from '../../../ports/store/fleet/task-registry.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asInvocation, asTask, INVOCATION_COLUMNS, TASK_COLUMNS } from '../../rows/task-row.ts'
import type { Database } from '../database/database.ts'

const INVOCATION = INVOCATION_COLUMNS
const TASK = `${TASK_COLUMNS}, ${INVOCATION}`
const FROM = 'FROM tasks t JOIN task_invocations i ON i.task = t.number AND i.n = t.newest'

type Cell = string | number | null

export function findTask(database: Database, id: string): Task | null {
  const row = database.statement(`SELECT ${TASK} ${FROM} WHERE t.id = ?`).get(id)
  return row ? asTask(row) : null
}

export function findTaskAbout(database: Database, subject: string): Task | null {
  const row = database.statement(`SELECT ${TASK} ${FROM} WHERE t.subject = ?`).get(subject)
  return row ? asTask(row) : null
}

/** Literals, so that SQLite can see that the partial index of what is not over serves. */
const STATUS_IS: Record<TaskStatus, string> = {
  pending: `t.status = 'pending'`,
  running: `t.status = 'running'`,
  paused: `t.status = 'paused'`,
  completed: `t.status = 'completed'`,
  failed: `t.status = 'failed'`,
  cancelled: `t.status = 'cancelled'`,
  timed_out: `t.status = 'timed_out'`,
}

export function listTasks(database: Database, { ids, status, kind, subject, after, limit }: TaskQuery): Task[] {
  const conditions: [sql: string, value: Cell][] = []
  if (ids !== undefined) conditions.push(['t.id IN (SELECT value FROM json_each(?))', JSON.stringify(ids)])
  if (kind !== undefined) conditions.push(['t.kind = ?', kind])
  if (subject !== undefined) conditions.push(['t.subject = ?', subject])
  if (after !== undefined) conditions.push(['t.number < (SELECT number FROM tasks WHERE id = ?)', after])
  const all = [...(status === undefined ? [] : [STATUS_IS[status]]), ...conditions.map(([sql]) => sql)].join(' AND ')
  return database
    .statement(`SELECT ${TASK} ${FROM} ${all ? `WHERE ${all}` : ''} ORDER BY t.number DESC LIMIT ?`)
    .all(...conditions.map(([, value]) => value), limit ?? -1)
    .map(asTask)
}

/** Oldest first. */
export function listInvocations(database: Database, taskId: string): Invocation[] {
  return database
    .statement(
      `SELECT ${INVOCATION} FROM task_invocations i WHERE i.task = (SELECT number FROM tasks WHERE id = ?) ORDER BY i.n`,
    )
    .all(taskId)
    .map(asInvocation)
}

/** Inside a transaction: the task, pending, without an invocation. */
export function insertTask(database: Database, task: NewTask, at: number): void {
  const { id, kind, title, subject, details, workdir, timeout_ms } = task
  database
    .statement(
      `INSERT INTO tasks (id, status, newest, kind, title, subject, details, workdir, timeout_ms, created_at, updated_at)
       VALUES (?, 'pending', 1, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(...[id, kind, title, subject, JSON.stringify(details), workdir, timeout_ms, at, at])
}

/** Also while tasks are many, those that are not over are few. */
export function tasksNotOver(database: Database, kind: string): Task[] {
  return database
    .statement(`SELECT ${TASK} ${FROM} WHERE t.status IN ('pending', 'running', 'paused') AND t.kind = ?`)
    .all(kind)
    .map(asTask)
}

/** Inside a transaction: the one that has waited longest for its turn, if there is a turn; `null` otherwise. */
export function nextInQueue(database: Database, { kind, most }: Pick<TaskTurn, 'kind' | 'most'>): Task | null {
  const row = database
    .statement(
      `SELECT ${TASK} ${FROM} WHERE t.status = 'pending' AND t.kind = ? AND i.supervisor = ? AND (
         SELECT count(*) FROM tasks t JOIN task_invocations i ON i.task = t.number AND i.n = t.newest
         WHERE t.status IN ('pending', 'running') AND t.kind = ? AND i.supervisor IS NOT ?
       ) < ? ORDER BY i.number LIMIT 1`,
    )
    .get(kind, WAITS_FOR_TURN, kind, WAITS_FOR_TURN, most)
  return row ? asTask(row) : null
}

export type NewInvocation = Requester & Pick<Invocation, 'n' | 'argv'> & Pick<NewTask, 'waits'>

/** Inside a transaction: it is asked for. */
export function insertInvocation(database: Database, taskId: string, asked: NewInvocation, at: number): void {
  database
    .statement(
      `INSERT INTO task_invocations (task, n, status, argv, asked_by, surface, asked_at, supervisor)
       VALUES ((SELECT number FROM tasks WHERE id = ?), ?, 'pending', ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[taskId, asked.n, JSON.stringify(asked.argv), asked.by, asked.surface, at],
      asked.waits ? WAITS_FOR_TURN : null,
    )
}

/** Inside a transaction: what became of it. */
export function updateInvocation(database: Database, taskId: string, invocation: Invocation): void {
  const { n, status, started_at, ended_at, supervisor, process, exit_code, signal, error } = invocation
  database
    .statement(
      `UPDATE task_invocations SET status = ?, started_at = ?, ended_at = ?, supervisor = ?, process = ?, exit_code = ?,
         signal = ?, error = ?, stdout_bytes = ?, stderr_bytes = ?
       WHERE task = (SELECT number FROM tasks WHERE id = ?) AND n = ?`,
    )
    .run(
      ...[status, millisecondsOrNull(started_at), millisecondsOrNull(ended_at), supervisor, process, exit_code, signal],
      ...[error && JSON.stringify(error), invocation.stdout_bytes, invocation.stderr_bytes, taskId, n],
    )
}

export interface TaskRowChange extends Pick<Task, 'id' | 'status' | 'cancel_requested_by'> {
  /** The number of its newest invocation. */
  readonly newest: number
  readonly subject: string | null
}

/** Inside a transaction. */
export function updateTask(database: Database, change: TaskRowChange, at: number): void {
  const { id, status, newest, subject, cancel_requested_by } = change
  database
    .statement(
      'UPDATE tasks SET status = ?, newest = ?, subject = ?, cancel_requested_by = ?, updated_at = ? WHERE id = ?',
    )
    .run(status, newest, subject, cancel_requested_by, at, id)
}

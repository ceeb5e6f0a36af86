import type { HostName } from '../../../core/fleet/fleet-host.ts'
import { WAITS_FOR_TURN } from '../../../core/task/start-queue.ts'
import type { Invocation, Task, TaskStatus } from '../../../core/task/task.ts'
import type { NewTask, Requester } from '../../../core/task/task-move.ts'
import type { TaskQuery, TaskTurn } from '../../../ports/store/fleet/task-registry.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asInvocation, asTask, INVOCATION_COLUMNS, TASK_COLUMNS } from '../../rows/task-row.ts'
import { Conditions } from '../driver/conditions.ts'
import { all, first, run, type Work } from '../driver/work.ts'

const TASK = `${TASK_COLUMNS}, ${INVOCATION_COLUMNS}`
const FROM = 'FROM @tasks t JOIN @task_invocations i ON i.task = t.number AND i.n = t.newest'

/** Inside a transaction, before the task is read: those who move one task come one after the other. */
export function* lockTask(id: string): Work<void> {
  yield* first('SELECT 1 FROM @tasks WHERE id = ? FOR UPDATE', [id])
}

export function* findTask(id: string): Work<Task | null> {
  const row = yield* first(`SELECT ${TASK} ${FROM} WHERE t.id = ?`, [id])
  return row ? asTask(row) : null
}

export function* findTaskAbout(subject: string): Work<Task | null> {
  const row = yield* first(`SELECT ${TASK} ${FROM} WHERE t.subject = ?`, [subject])
  return row ? asTask(row) : null
}

/** Literals, so that the database can see that the partial index of what is not over serves. */
const STATUS_IS: Record<TaskStatus, string> = {
  pending: `t.status = 'pending'`,
  running: `t.status = 'running'`,
  paused: `t.status = 'paused'`,
  completed: `t.status = 'completed'`,
  failed: `t.status = 'failed'`,
  cancelled: `t.status = 'cancelled'`,
  timed_out: `t.status = 'timed_out'`,
}

export function* listTasks({ ids, status, kind, subject, after, limit }: TaskQuery): Work<Task[]> {
  const chosen = new Conditions()
    .addText(status && STATUS_IS[status])
    .add('t.id = ANY(?::text[])', ids)
    .add('t.kind = ?', kind)
    .add('t.subject = ?', subject)
    .add('t.number < (SELECT number FROM @tasks WHERE id = ?)', after)
  const page = `SELECT ${TASK} ${FROM} ${chosen.where} ORDER BY t.number DESC LIMIT ?`
  return (yield* all(page, [...chosen.values, limit ?? null])).map(asTask)
}

/** Oldest first. */
export function* listInvocations(taskId: string): Work<Invocation[]> {
  const rows = yield* all(
    `SELECT ${INVOCATION_COLUMNS} FROM @task_invocations i
     WHERE i.task = (SELECT number FROM @tasks WHERE id = ?) ORDER BY i.n`,
    [taskId],
  )
  return rows.map(asInvocation)
}

/** Inside a transaction: the task, pending, without an invocation. False if its id or its subject is taken. */
export function* insertTask(task: NewTask, host: HostName | null, at: number): Work<boolean> {
  const { id, kind, title, subject, details, workdir, timeout_ms } = task
  const count = yield* run(
    `INSERT INTO @tasks (id, status, newest, kind, title, subject, details, workdir, timeout_ms, created_at, updated_at, host)
     VALUES (?1, 'pending', 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9) ON CONFLICT DO NOTHING`,
    [id, kind, title, subject, JSON.stringify(details), workdir, timeout_ms, at, host?.id ?? null],
  )
  return count === 1
}

/** No limit is needed: few tasks are unfinished at any time. */
export function* tasksNotOver(kind: string): Work<Task[]> {
  const rows = yield* all(`SELECT ${TASK} ${FROM} WHERE t.status IN ('pending', 'running', 'paused') AND t.kind = ?`, [
    kind,
  ])
  return rows.map(asTask)
}

/** The task of the host that has waited longest for its turn, if there is a turn; `null` otherwise. */
export function* nextInQueue(
  { kind, most }: Pick<TaskTurn, 'kind' | 'most'>,
  host: HostName | null,
): Work<Task | null> {
  const isOfHost = host === null ? '' : 'AND t.host = ?4'
  const row = yield* first(
    `SELECT ${TASK} ${FROM} WHERE t.status = 'pending' AND t.kind = ?1 AND i.supervisor = ?2 ${isOfHost} AND (
       SELECT count(*) ${FROM}
       WHERE t.status IN ('pending', 'running') AND t.kind = ?1 AND i.supervisor IS DISTINCT FROM ?2 ${isOfHost}
     ) < ?3 ORDER BY i.number LIMIT 1`,
    [kind, WAITS_FOR_TURN, most, ...(host === null ? [] : [host.id])],
  )
  return row ? asTask(row) : null
}

export type NewInvocation = Requester & Pick<Invocation, 'n' | 'argv'> & Pick<NewTask, 'waits'>

/** Inside a transaction: an invocation that was asked for. */
export function* insertInvocation(
  taskId: string,
  { n, argv, by, surface, waits }: NewInvocation,
  at: number,
): Work<void> {
  yield* run(
    `INSERT INTO @task_invocations (task, n, status, argv, asked_by, surface, asked_at, supervisor)
     VALUES ((SELECT number FROM @tasks WHERE id = ?), ?, 'pending', ?, ?, ?, ?, ?)`,
    [taskId, n, JSON.stringify(argv), by, surface, at, waits ? WAITS_FOR_TURN : null],
  )
}

/** Inside a transaction: what became of an invocation. */
export function* updateInvocation(taskId: string, invocation: Invocation): Work<void> {
  const { n, status, started_at, ended_at, supervisor, process, exit_code, signal, error } = invocation
  yield* run(
    `UPDATE @task_invocations SET status = ?, started_at = ?, ended_at = ?, supervisor = ?, process = ?,
       exit_code = ?, signal = ?, error = ?, stdout_bytes = ?, stderr_bytes = ?
     WHERE task = (SELECT number FROM @tasks WHERE id = ?) AND n = ?`,
    [
      ...[status, millisecondsOrNull(started_at), millisecondsOrNull(ended_at), supervisor, process, exit_code, signal],
      ...[error && JSON.stringify(error), invocation.stdout_bytes, invocation.stderr_bytes, taskId, n],
    ],
  )
}

export interface TaskRowChange extends Pick<Task, 'id' | 'status' | 'cancel_requested_by'> {
  /** The number of its newest invocation. */
  readonly newest: number
  readonly subject: string | null
  /** The host that it gets if it has none. */
  readonly host: string | null
}

/** Inside a transaction. */
export function* updateTask(change: TaskRowChange, at: number): Work<void> {
  const { id, status, newest, subject, cancel_requested_by, host } = change
  yield* run(
    `UPDATE @tasks SET status = ?, newest = ?, subject = ?, cancel_requested_by = ?, updated_at = ?,
       host = coalesce(host, ?) WHERE id = ?`,
    [status, newest, subject, cancel_requested_by, at, host, id],
  )
}

/** Inside a transaction: the host has a row, which is locked from here on. */
export function* nameHost({ id, name }: HostName): Work<void> {
  const insert = 'INSERT INTO @hosts (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name'
  yield* run(insert, [id, name])
}

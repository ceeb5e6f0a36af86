import { WAITS_FOR_TURN } from '../../../core/task/start-queue.ts'
import type { Invocation, Task, TaskStatus } from '../../../core/task/task.ts'
import type { NewTask, Requester } from '../../../core/task/task-move.ts'
import type { TaskQuery, TaskTurn } from '../../../ports/store/fleet/task-registry.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asInvocation, asTask, INVOCATION_COLUMNS, TASK_COLUMNS } from '../../rows/task-row.ts'
import type { Cell, Query } from '../database/pool.ts'

const INVOCATION = INVOCATION_COLUMNS
const TASK = `${TASK_COLUMNS}, ${INVOCATION}`
const FROM = 'FROM @tasks t JOIN @task_invocations i ON i.task = t.number AND i.n = t.newest'

/** Inside a transaction, before the task is read: those who move one task come one after the other. */
export async function lockTask(query: Query, id: string): Promise<void> {
  await query('SELECT 1 FROM @tasks WHERE id = $1 FOR UPDATE', [id])
}

export async function findTask(query: Query, id: string): Promise<Task | null> {
  const [row] = (await query(`SELECT ${TASK} ${FROM} WHERE t.id = $1`, [id])).rows
  return row ? asTask(row) : null
}

export async function findTaskAbout(query: Query, subject: string): Promise<Task | null> {
  const [row] = (await query(`SELECT ${TASK} ${FROM} WHERE t.subject = $1`, [subject])).rows
  return row ? asTask(row) : null
}

/** Literals, so that PostgreSQL can see that the partial index of what is not over serves. */
const STATUS_IS: Record<TaskStatus, string> = {
  pending: `t.status = 'pending'`,
  running: `t.status = 'running'`,
  paused: `t.status = 'paused'`,
  completed: `t.status = 'completed'`,
  failed: `t.status = 'failed'`,
  cancelled: `t.status = 'cancelled'`,
  timed_out: `t.status = 'timed_out'`,
}

export async function listTasks(query: Query, asked: TaskQuery): Promise<Task[]> {
  const { ids, status, kind, subject, after, limit = null } = asked
  const values: Cell[] = []
  const conditions = status === undefined ? [] : [STATUS_IS[status]]
  const ask = (sql: string, value: Cell | undefined) => {
    if (value !== undefined) conditions.push(sql.replace('?', `$${values.push(value)}`))
  }
  ask('t.id = ANY(?::text[])', ids)
  ask('t.kind = ?', kind)
  ask('t.subject = ?', subject)
  ask('t.number < (SELECT number FROM @tasks WHERE id = ?)', after)
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  const limited = `ORDER BY t.number DESC LIMIT $${values.push(limit)}`
  return (await query(`SELECT ${TASK} ${FROM} ${where} ${limited}`, values)).rows.map(asTask)
}

/** Oldest first. */
export async function listInvocations(query: Query, taskId: string): Promise<Invocation[]> {
  const { rows } = await query(
    `SELECT ${INVOCATION} FROM @task_invocations i WHERE i.task = (SELECT number FROM @tasks WHERE id = $1) ORDER BY i.n`,
    [taskId],
  )
  return rows.map(asInvocation)
}

interface OfHost {
  readonly host: string
}

/** Inside a transaction: the task, pending, without an invocation. False if its id or its subject is taken. */
export async function insertTask(query: Query, task: NewTask & OfHost, at: number): Promise<boolean> {
  const { id, kind, title, subject, details, workdir, timeout_ms, host } = task
  const { count } = await query(
    `INSERT INTO @tasks (id, status, newest, kind, title, subject, details, workdir, timeout_ms, created_at, updated_at, host)
     VALUES ($1, 'pending', 1, $2, $3, $4, $5, $6, $7, $8, $8, $9) ON CONFLICT DO NOTHING`,
    [id, kind, title, subject, JSON.stringify(details), workdir, timeout_ms, at, host],
  )
  return count === 1
}

/** Also while tasks are many, those that are not over are few. */
export async function tasksNotOver(query: Query, kind: string): Promise<Task[]> {
  const { rows } = await query(
    `SELECT ${TASK} ${FROM} WHERE t.status IN ('pending', 'running', 'paused') AND t.kind = $1`,
    [kind],
  )
  return rows.map(asTask)
}

type HostTurn = Pick<TaskTurn, 'kind' | 'most'> & OfHost

/** The one of the host that has waited longest for its turn, if there is a turn; `null` otherwise. */
export async function nextInQueue(query: Query, { kind, most, host }: HostTurn): Promise<Task | null> {
  const { rows } = await query(
    `SELECT ${TASK} ${FROM} WHERE t.status = 'pending' AND t.kind = $1 AND i.supervisor = $2 AND t.host = $4 AND (
       SELECT count(*) ${FROM}
       WHERE t.status IN ('pending', 'running') AND t.kind = $1 AND i.supervisor IS DISTINCT FROM $2
         AND t.host = $4
     ) < $3 ORDER BY i.number LIMIT 1`,
    [kind, WAITS_FOR_TURN, most, host],
  )
  const [row] = rows
  return row ? asTask(row) : null
}

export type NewInvocation = Requester & Pick<Invocation, 'n' | 'argv'> & Pick<NewTask, 'waits'>

/** Inside a transaction: it is asked for. */
export async function insertInvocation(
  query: Query,
  taskId: string,
  { at, n, argv, by, surface, waits }: NewInvocation & { readonly at: number },
): Promise<void> {
  await query(
    `INSERT INTO @task_invocations (task, n, status, argv, asked_by, surface, asked_at, supervisor)
     VALUES ((SELECT number FROM @tasks WHERE id = $1), $2, 'pending', $3, $4, $5, $6, $7)`,
    [taskId, n, JSON.stringify(argv), by, surface, at, waits ? WAITS_FOR_TURN : null],
  )
}

/** Inside a transaction: what became of it. */
export async function updateInvocation(query: Query, taskId: string, invocation: Invocation): Promise<void> {
  const { n, status, started_at, ended_at, supervisor, process, exit_code, signal, error } = invocation
  await query(
    `UPDATE @task_invocations SET status = $1, started_at = $2, ended_at = $3, supervisor = $4, process = $5,
       exit_code = $6, signal = $7, error = $8, stdout_bytes = $9, stderr_bytes = $10
     WHERE task = (SELECT number FROM @tasks WHERE id = $11) AND n = $12`,
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
export async function updateTask(query: Query, change: TaskRowChange, at: number): Promise<void> {
  const { id, status, newest, subject, cancel_requested_by, host } = change
  await query(
    `UPDATE @tasks SET status = $1, newest = $2, subject = $3, cancel_requested_by = $4, updated_at = $5,
       host = coalesce(host, $6) WHERE id = $7`,
    [status, newest, subject, cancel_requested_by, at, host, id],
  )
}

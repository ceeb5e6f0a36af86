import { readdirSync, readFileSync } from 'node:fs'
import { TASK_RESTS, type TaskStatus } from '../../../src/core/task/task.ts'
import { openDatabase } from '../../open-database.ts'
import { isAlive } from '../processes.ts'
import { pidIn, processesOf } from './task-place.ts'

interface TaskRow {
  readonly id: string
  readonly status: TaskStatus
  readonly newest: number
  readonly cancel_requested_by: string | null
}

interface InvocationRow {
  readonly task_id: string
  readonly n: number
  readonly status: TaskStatus
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly supervisor: string | null
  readonly exit_code: number | null
}

/** What does not fit together in the rows of tasks, and between them and the audit log; at any moment. */
export function falseTasks(store: string): string[] {
  using database = openDatabase(store, { readOnly: true })
  database.exec('BEGIN')
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tasks'").get() === undefined) return []
  const all = (sql: string) => database.prepare(sql).all() as unknown
  const tasks = all('SELECT id, status, newest, cancel_requested_by FROM tasks') as TaskRow[]
  const invocations = all(
    `SELECT tasks.id AS task_id, n, task_invocations.status, started_at, ended_at, supervisor, exit_code
     FROM task_invocations JOIN tasks ON tasks.number = task ORDER BY task, n`,
  ) as InvocationRow[]
  const records = all(`SELECT record FROM audit WHERE record LIKE '%"kind":"task.%'`) as { record: string }[]
  const recorded = records.map(({ record }) => {
    const { kind, data } = JSON.parse(record)
    return `${kind} ${data.task_id} ${data.invocation}${kind === 'task.ended' ? ` ${data.status}` : ''}`
  })
  return tasks.flatMap(task => {
    const theirs = invocations.filter(({ task_id }) => task_id === task.id)
    const asked = theirs.map(({ n }) => `${n === 1 ? 'task.started' : 'task.resumed'} ${task.id} ${n}`)
    const logged = recorded.filter(line => line.includes(` ${task.id} `) && /^task\.(started|resumed)/.test(line))
    return [
      ...falseEnd(task, recorded),
      ...(theirs.at(-1)?.status === task.status
        ? []
        : [`${task.id}: ${task.status}, but its newest invocation is not`]),
      ...(theirs.at(-1)?.n === task.newest && theirs.length === task.newest
        ? []
        : [`${task.id}: invocations are missing`]),
      ...(asked.join() === logged.join() ? [] : [`${task.id}: on record are ${logged}, there are ${asked}`]),
      ...(TASK_RESTS[task.status] && task.cancel_requested_by ? [`${task.id}: rests, and is to be cancelled`] : []),
      ...theirs.flatMap(invocation => falseInvocation(invocation, task)),
    ]
  })
}

function falseEnd({ id, status, newest }: TaskRow, recorded: readonly string[]): string[] {
  const ended = recorded.findLast(line => line.startsWith(`task.ended ${id} `))
  const end = TASK_RESTS[status] ? `task.ended ${id} ${newest} ${status}` : ended
  return ended === end ? [] : [`${id}: on record as its end is ${ended}, there is ${end}`]
}

function falseInvocation(
  { n, status, ended_at, started_at, exit_code, supervisor }: InvocationRow,
  task: TaskRow,
): string[] {
  const rests = TASK_RESTS[status]
  const faults = [
    rests || n === task.newest ? '' : 'is under way, though there is a newer one',
    rests === (ended_at !== null) ? '' : 'has an end, or none, that does not fit',
    status !== 'running' || started_at !== null ? '' : 'runs, and never began',
    status !== 'completed' || exit_code === 0 || n === task.newest ? '' : 'completed with another code than 0',
    started_at === null || supervisor !== null ? '' : 'began without a supervisor',
  ]
  return faults.filter(fault => fault !== '').map(fault => `${task.id}/${n} (${status}) ${fault}`)
}

/** Processes of tasks over which nobody watches any more: of tasks that rest, or whose supervisor is gone. */
export function unwatched(store: string): string[] {
  using database = openDatabase(store, { readOnly: true })
  const rows = database
    .prepare(
      `SELECT id, tasks.status, supervisor FROM tasks JOIN task_invocations ON task = tasks.number AND n = newest`,
    )
    .all() as unknown as { id: string; status: TaskStatus; supervisor: string | null }[]
  return rows
    .filter(({ status, supervisor }) => TASK_RESTS[status] || supervisor === null || !isAlive(pidIn(supervisor)))
    .flatMap(({ id, status }) => processesOf({ id }).map(pid => `${id} (${status}): ${commandLine(pid)}`))
}

/** Holdpoint's processes that work on a store, whoever started them. */
export function processesOn(store: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid && isAlive(Number(name)))
    .map(pid => commandLine(Number(pid)))
    .filter(line => line.includes(store))
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

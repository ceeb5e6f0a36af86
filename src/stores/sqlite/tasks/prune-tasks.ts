/** Finished tasks go with the run that they are about, or by themselves if they are about none. */
import { runAbout } from '../../../core/task/task.ts'
import type { Requester } from '../../../core/task/task-move.ts'
import type { TaskRemoval } from '../../../ports/store/fleet/task-registry.ts'
import type { PrunedPage, PruneQuery } from '../../../ports/store/retention.ts'
import type { Database } from '../database/database.ts'
import { auditEntries } from '../tables/audit-table.ts'

/** For one transaction: other writers must not wait for long. */
const MOST_TASKS = 500

/** Resting tasks of any status: without the run there is nothing to wait for. */
const ABOUT_RUNS = `status NOT IN ('pending', 'running') AND subject IN (SELECT id FROM runs WHERE thread = ?)`

/** Rows that go with a task. A process that was killed leaves its presence behind. */
const OF_TASKS = ['presences', 'task_invocations'] as const

/** The position behind a task, as the `after` of a page. */
const CURSOR = /^tasks:(\d+)$/

export function tasksCursor(after: string | undefined): number | null {
  const [, number] = CURSOR.exec(after ?? '') ?? []
  return number === undefined ? null : Number(number)
}

export function tasksAboutThread(database: Database, thread: number): string[] {
  return database
    .statement(`SELECT id FROM tasks WHERE ${ABOUT_RUNS} ORDER BY number`)
    .all(thread)
    .map(row => String(row['id']))
}

/** Inside a transaction, before the runs go. */
export function deleteTasksAboutThread(database: Database, thread: number): void {
  for (const table of OF_TASKS)
    database.statement(`DELETE FROM ${table} WHERE task IN (SELECT number FROM tasks WHERE ${ABOUT_RUNS})`).run(thread)
  database.statement(`DELETE FROM tasks WHERE ${ABOUT_RUNS}`).run(thread)
}

interface OldTask {
  readonly number: number
  readonly id: string
  readonly subject: string | null
}

/** Inside a transaction, unless nothing is to be deleted. */
export function pruneTasks(
  database: Database,
  query: PruneQuery,
  { after, at }: { readonly after: number; readonly at: number },
): Omit<PrunedPage, 'threads'> {
  const found = oldTasks(database, query, after)
  for (const task of query.dry_run ? [] : found) {
    deleteTask(database, task.number)
    recordPruned(database, { task, query, at })
  }
  return {
    tasks: found.map(({ id }) => id),
    next: found.length < MOST_TASKS ? null : `tasks:${found.at(-1)?.number}`,
  }
}

/** Inside a transaction. False: it is not as it was seen, or does not rest. */
export function removeTask(
  database: Database,
  { taskId, removal }: { readonly taskId: string; readonly removal: TaskRemoval },
  at: number,
): boolean {
  const row = database
    .statement(
      `SELECT number, id, subject FROM tasks WHERE id = ? AND newest = ? AND status NOT IN ('pending', 'running')`,
    )
    .get(taskId, removal.invocation)
  if (!row) return false
  deleteTask(database, Number(row['number']))
  recordPruned(database, { task: { id: taskId, subject: row['subject'] as string | null }, query: removal, at })
  return true
}

function deleteTask(database: Database, number: number): void {
  for (const table of OF_TASKS) database.statement(`DELETE FROM ${table} WHERE task = ?`).run(number)
  database.statement('DELETE FROM tasks WHERE number = ?').run(number)
}

interface PrunedTask {
  readonly task: Pick<OldTask, 'id' | 'subject'>
  readonly query: Requester
  readonly at: number
}

/** A deleted task stays on record (P10). */
function recordPruned(database: Database, { task, query, at }: PrunedTask): void {
  const { by: actor, surface } = query
  const entry = { kind: 'task.pruned', run_id: runAbout(task.subject), data: { task_id: task.id } } as const
  auditEntries(database, [{ ...entry, actor, surface }], at)
}

/** One whose run is kept, is kept too: it may have failed, and go on with it. */
function oldTasks(database: Database, { before }: PruneQuery, after: number): OldTask[] {
  return database
    .statement(
      `SELECT number, id, subject FROM tasks t WHERE number > ? AND updated_at < ?
         AND status IN ('completed', 'failed', 'cancelled', 'timed_out')
         AND NOT EXISTS (SELECT 1 FROM runs WHERE id = t.subject)
       ORDER BY number LIMIT ?`,
    )
    .all(after, Date.parse(before), MOST_TASKS)
    .map(row => ({
      number: Number(row['number']),
      id: String(row['id']),
      subject: row['subject'] as string | null,
    }))
}

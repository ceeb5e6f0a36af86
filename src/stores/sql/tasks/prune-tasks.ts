/** Finished tasks go with the run that they are about, or by themselves if they are about none. */
import { runAbout } from '../../../core/task/task.ts'
import type { Requester } from '../../../core/task/task-move.ts'
import type { TaskRemoval } from '../../../ports/store/fleet/task-registry.ts'
import type { PrunedPage, PruneQuery } from '../../../ports/store/retention.ts'
import type { Transaction } from '../driver/driver.ts'
import { all, first, type Row, run, type Work } from '../driver/work.ts'

/** The most tasks of one transaction: other writers must not wait for long. */
const MOST_TASKS = 500

/** Resting tasks of any status: without the run there is nothing to wait for. */
const ABOUT_RUNS = `status NOT IN ('pending', 'running') AND subject IN (SELECT id FROM @runs WHERE thread = ?)`

/** Rows that are deleted with a task. A killed process leaves its presence in the store. */
const OF_TASKS = ['@presences', '@task_invocations'] as const

/** The position after a task, as the `after` of a page. */
const CURSOR = /^tasks:(\d+)$/

export function tasksCursor(after: string | undefined): number | null {
  const [, number] = CURSOR.exec(after ?? '') ?? []
  return number === undefined ? null : Number(number)
}

export function* tasksAboutThread(thread: number): Work<string[]> {
  const rows = yield* all(`SELECT id FROM @tasks WHERE ${ABOUT_RUNS} ORDER BY number`, [thread])
  return rows.map(row => String(row['id']))
}

/** Inside a transaction, before the runs go. */
export function* deleteTasksAboutThread(thread: number): Work<void> {
  // Locked first, so that none begins another invocation meanwhile.
  const rows = yield* all(`SELECT number FROM @tasks WHERE ${ABOUT_RUNS} ORDER BY number FOR UPDATE`, [thread])
  yield* deleteTasks(rows.map(row => Number(row['number'])))
}

interface OldTask {
  readonly number: number
  readonly id: string
  readonly subject: string | null
}

/** Inside a transaction, unless nothing is to be deleted. */
export function* pruneTasks(
  transaction: Transaction,
  prune: PruneQuery,
  after: number,
): Work<Omit<PrunedPage, 'threads'>> {
  const { last, isEnd } = yield* nextRange('@tasks', after)
  const found = yield* oldTasks(prune, after, last)
  if (!prune.dry_run) {
    yield* deleteTasks(found.map(({ number }) => number))
    for (const task of found) yield* recordPruned(transaction, task, prune)
  }
  const isFull = found.length === MOST_TASKS
  return {
    tasks: found.map(({ id }) => id),
    next: isFull ? `tasks:${found.at(-1)?.number}` : isEnd ? null : `tasks:${last}`,
  }
}

/** Inside a transaction. Returns false if the task changed since it was seen, or is under way. */
export function* removeTask(transaction: Transaction, taskId: string, removal: TaskRemoval): Work<boolean> {
  const row = yield* first(
    `SELECT number, id, subject FROM @tasks
     WHERE id = ? AND newest = ? AND status NOT IN ('pending', 'running') FOR UPDATE`,
    [taskId, removal.invocation],
  )
  if (!row) return false
  const task = asOldTask(row)
  yield* deleteTasks([task.number])
  yield* recordPruned(transaction, task, removal)
  return true
}

function* deleteTasks(numbers: readonly number[]): Work<void> {
  if (numbers.length === 0) return
  for (const table of OF_TASKS) yield* run(`DELETE FROM ${table} WHERE task = ANY(?::bigint[])`, [numbers])
  yield* run('DELETE FROM @tasks WHERE number = ANY(?::bigint[])', [numbers])
}

/** A deleted task stays on record (P10). */
function recordPruned(
  { record }: Transaction,
  { id, subject }: OldTask,
  { by: actor, surface }: Requester,
): Work<void> {
  const data = { task_id: id }
  return record([{ kind: 'task.pruned', run_id: runAbout(subject), data, actor, surface }])
}

/** A task whose run is kept is kept too: it may have failed, and go on with it. */
function* oldTasks({ before, dry_run }: PruneQuery, after: number, last: number): Work<OldTask[]> {
  const rows = yield* all(
    `SELECT number, id, subject FROM @tasks t WHERE number > ?1 AND number <= ?3 AND updated_at < ?2
       AND status IN ('completed', 'failed', 'cancelled', 'timed_out')
       AND NOT EXISTS (SELECT 1 FROM @runs WHERE id = t.subject)
     ORDER BY number LIMIT ${MOST_TASKS} ${dry_run ? '' : 'FOR UPDATE'}`,
    [after, Date.parse(before), last],
  )
  return rows.map(asOldTask)
}

function asOldTask(row: Row): OldTask {
  return { number: Number(row['number']), id: String(row['id']), subject: row['subject'] as string | null }
}

/** Rows that one page looks at. */
const MOST_ROWS = 1_000

/** The rows after a number. */
interface RowRange {
  /** The number of the last one; 0 if there is none. */
  readonly last: number
  /** True if no later row exists. */
  readonly isEnd: boolean
}

export function* nextRange(table: '@threads' | '@tasks', after: number): Work<RowRange> {
  const row = yield* first(
    `SELECT max(number) AS last, count(*) AS count
     FROM (SELECT number FROM ${table} WHERE number > ? ORDER BY number LIMIT ${MOST_ROWS}) looked`,
    [after],
  )
  return { last: Number(row?.['last'] ?? 0), isEnd: Number(row?.['count']) < MOST_ROWS }
}

/** Finished tasks go with the run that they are about, or by themselves if they are about none. */
import { runAbout } from '../../../core/task/task.ts'
import type { Requester } from '../../../core/task/task-move.ts'
import type { TaskRemoval } from '../../../ports/store/fleet/task-registry.ts'
import type { PrunedPage, PruneQuery } from '../../../ports/store/retention.ts'
import { auditEntries } from '../audit/audit-records.ts'
import { nextRange } from '../database/next-range.ts'
import type { Query, Statements, Transaction } from '../database/pool.ts'

/** For one transaction: other writers must not wait for long. */
const MOST_TASKS = 500

/** Resting tasks of any status: without the run there is nothing to wait for. */
const ABOUT_RUNS = `status NOT IN ('pending', 'running') AND subject IN (SELECT id FROM @runs WHERE thread = $1)`

/** Rows that go with a task. A process that was killed leaves its presence behind. */
const OF_TASKS = ['@presences', '@task_invocations'] as const

/** The position behind a task, as the `after` of a page. */
const CURSOR = /^tasks:(\d+)$/

export function tasksCursor(after: string | undefined): number | null {
  const [, number] = CURSOR.exec(after ?? '') ?? []
  return number === undefined ? null : Number(number)
}

export async function tasksAboutThread(query: Query, thread: number): Promise<string[]> {
  const { rows } = await query(`SELECT id FROM @tasks WHERE ${ABOUT_RUNS} ORDER BY number`, [thread])
  return rows.map(row => String(row['id']))
}

/** Inside a transaction, before the runs go. */
export async function deleteTasksAboutThread(query: Query, thread: number): Promise<void> {
  // Locked first, so that none begins another invocation meanwhile.
  const { rows } = await query(`SELECT number FROM @tasks WHERE ${ABOUT_RUNS} ORDER BY number FOR UPDATE`, [thread])
  await deleteTasks(
    query,
    rows.map(row => Number(row['number'])),
  )
}

interface OldTask {
  readonly number: number
  readonly id: string
  readonly subject: string | null
}

/** Inside a transaction, unless nothing is to be deleted. */
export async function pruneTasks(
  { query, now }: Transaction,
  prune: PruneQuery,
  after: number,
): Promise<Omit<PrunedPage, 'threads'>> {
  const { last, isEnd } = await nextRange(query, '@tasks', after)
  const found = await oldTasks(query, prune, { after, last })
  if (!prune.dry_run) {
    await deleteTasks(
      query,
      found.map(({ number }) => number),
    )
    for (const task of found) recordPruned(query, { task, by: prune, at: now })
  }
  const isFull = found.length === MOST_TASKS
  return {
    tasks: found.map(({ id }) => id),
    next: isFull ? `tasks:${found.at(-1)?.number}` : isEnd ? null : `tasks:${last}`,
  }
}

/** Inside a transaction. False: it is not as it was seen, or does not rest. */
export async function removeTask(
  query: Statements,
  { taskId, removal }: { readonly taskId: string; readonly removal: TaskRemoval },
  at: number,
): Promise<boolean> {
  const { rows } = await query(
    `SELECT number, id, subject FROM @tasks
     WHERE id = $1 AND newest = $2 AND status NOT IN ('pending', 'running') FOR UPDATE`,
    [taskId, removal.invocation],
  )
  const [row] = rows
  if (!row) return false
  await deleteTasks(query, [Number(row['number'])])
  recordPruned(query, { task: { id: taskId, subject: row['subject'] as string | null }, by: removal, at })
  return true
}

async function deleteTasks(query: Query, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return
  for (const table of OF_TASKS) await query(`DELETE FROM ${table} WHERE task = ANY($1::bigint[])`, [numbers])
  await query('DELETE FROM @tasks WHERE number = ANY($1::bigint[])', [numbers])
}

interface PrunedTask {
  readonly task: Pick<OldTask, 'id' | 'subject'>
  readonly by: Requester
  readonly at: number
}

/** A deleted task stays on record (P10). */
function recordPruned(query: Statements, { task, by: { by: actor, surface }, at }: PrunedTask): void {
  const entry = { kind: 'task.pruned', run_id: runAbout(task.subject), data: { task_id: task.id } } as const
  auditEntries(query, [{ ...entry, actor, surface }], at)
}

/** One whose run is kept, is kept too: it may have failed, and go on with it. */
async function oldTasks(
  query: Query,
  { before, dry_run }: PruneQuery,
  { after, last }: { readonly after: number; readonly last: number },
): Promise<OldTask[]> {
  const { rows } = await query(
    `SELECT number, id, subject FROM @tasks t WHERE number > $1 AND number <= $3 AND updated_at < $2
       AND status IN ('completed', 'failed', 'cancelled', 'timed_out')
       AND NOT EXISTS (SELECT 1 FROM @runs WHERE id = t.subject)
     ORDER BY number LIMIT ${MOST_TASKS} ${dry_run ? '' : 'FOR UPDATE'}`,
    [after, Date.parse(before), last],
  )
  return rows.map(row => ({
    number: Number(row['number']),
    id: String(row['id']),
    subject: row['subject'] as string | null,
  }))
}

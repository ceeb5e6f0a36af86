/**
 * Deletes finished work: a page of threads in each transaction, then tasks, then hosts. Keeps: a thread goes whole or stays whole;
 * none goes in which a run is not done, or a hold is open, or anything happened since.
 */
import type { PrunedPage, PrunedThread, PruneQuery } from '../../../ports/store/retention.ts'
import { auditEntries } from '../audit/audit-records.ts'
import { nextRange } from '../database/next-range.ts'
import type { Query, Transaction } from '../database/pool.ts'
import { deleteGraph } from '../graphs/postgres-graphs.ts'
import { deleteTasksAboutThread, pruneTasks, tasksAboutThread, tasksCursor } from '../tasks/prune-tasks.ts'
import { pruneHosts } from './prune-hosts.ts'

/** In one transaction, so that no writer waits for long. */
const MOST_THREADS = 100
const MOST_EVENTS = 20_000

interface FoundThread {
  readonly id: string
  readonly number: number
}

/** Inside a transaction. */
export async function prunePage(transaction: Transaction, prune: PruneQuery): Promise<PrunedPage> {
  const after = tasksCursor(prune.after)
  const page = after === null ? await pruneThreads(transaction, prune) : { threads: [], tasks: [], next: null }
  if (page.next !== null) return page
  const { tasks, next } = await pruneTasks(transaction, prune, after ?? 0)
  if (next === null && !prune.dry_run) await pruneHosts(transaction.query, Date.parse(prune.before))
  return { ...page, tasks: [...page.tasks, ...tasks], next }
}

async function pruneThreads(transaction: Transaction, prune: PruneQuery): Promise<PrunedPage> {
  const { query } = transaction
  const { found, next } = await finishedThreads(query, prune)
  const threads: PrunedThread[] = []
  const tasks: string[] = []
  for (let events = 0, n = 0; n < found.length; n += 1) {
    const place = found[n] as FoundThread
    if (events >= MOST_EVENTS) return { threads, tasks, next: String(found[n - 1]?.number) }
    const thread = await contents(query, place)
    events += thread.events
    threads.push(thread)
    tasks.push(...(await tasksAboutThread(query, place.number)))
    if (!prune.dry_run) await pruneThread(transaction, prune, { place, thread })
  }
  return { threads, tasks, next }
}

/** A pruned thread stays on record (P10). */
async function pruneThread(
  { query, now }: Transaction,
  { by: actor, surface }: PruneQuery,
  { place, thread }: { readonly place: FoundThread; readonly thread: PrunedThread },
): Promise<void> {
  const { thread_id, ...data } = thread
  await deleteThread(query, place)
  auditEntries(query, [{ kind: 'thread.pruned', thread_id, actor, surface, data }], now)
}

interface FinishedPage {
  readonly found: readonly FoundThread[]
  /** The cursor behind them; `null` if there are no more. */
  readonly next: string | null
}

/**
 * Among the next threads, so that the cost of a page does not grow with those that wait. To be deleted, they are locked, and
 * looked at once more under the lock: in one of them, a run may just have begun. One that another transaction writes to is
 * left for the next time.
 */
async function finishedThreads(query: Query, { before, after = '0', dry_run }: PruneQuery): Promise<FinishedPage> {
  const at = Date.parse(before)
  const { last, isEnd } = await nextRange(query, '@threads', Number(after))
  const { rows } = await query(
    `SELECT t.id, t.number FROM @threads t WHERE t.number > $1 AND t.number <= $3 AND ${FINISHED}
     ORDER BY t.number LIMIT ${MOST_THREADS}`,
    [Number(after), at, last],
  )
  const found = rows.map(asFound)
  const isFull = found.length === MOST_THREADS
  const next = isFull ? String(found.at(-1)?.number) : isEnd ? null : String(last)
  return { found: dry_run ? found : await stillFinished(query, await lockFree(query, found), at), next }
}

async function lockFree(query: Query, found: readonly FoundThread[]): Promise<FoundThread[]> {
  const { rows } = await query(
    'SELECT id, number FROM @threads WHERE number = ANY($1::bigint[]) ORDER BY number FOR UPDATE SKIP LOCKED',
    [found.map(({ number }) => number)],
  )
  return rows.map(asFound)
}

async function stillFinished(query: Query, found: readonly FoundThread[], at: number): Promise<FoundThread[]> {
  const { rows } = await query(
    `SELECT t.id, t.number FROM @threads t WHERE t.number = ANY($1::bigint[]) AND ${FINISHED} ORDER BY t.number`,
    [found.map(({ number }) => number), at],
  )
  return rows.map(asFound)
}

const FINISHED = `t.created_at < $2
  AND NOT EXISTS (SELECT 1 FROM @runs WHERE thread = t.number AND (status <> 'done' OR updated_at >= $2))
  AND NOT EXISTS (SELECT 1 FROM @holds WHERE thread_id = t.id AND status = 'open')
  AND NOT EXISTS (SELECT 1 FROM @exports WHERE thread = t.number)`

function asFound(row: Readonly<Record<string, unknown>>): FoundThread {
  return { id: String(row['id']), number: Number(row['number']) }
}

const HOLDS = 'SELECT id FROM @holds WHERE thread_id = $1'
const GRANTS = `scope <> 'project' AND hold_id IN (${HOLDS})`

async function contents(query: Query, { id, number }: FoundThread): Promise<PrunedThread> {
  const { rows } = await query(
    `SELECT (SELECT count(*) FROM @runs WHERE thread = $2) AS runs,
       (SELECT count(*) FROM @events WHERE thread = $2) AS events,
       (SELECT count(*) FROM @holds WHERE thread_id = $1) AS holds,
       (SELECT count(*) FROM @grants WHERE ${GRANTS}) AS grants,
       (SELECT coalesce(sum(octet_length(data)), 0) FROM @events WHERE thread = $2)
         + (SELECT coalesce(sum(octet_length(asked)), 0) FROM @holds WHERE thread_id = $1) AS bytes`,
    [id, number],
  )
  const count = (name: string) => Number(rows[0]?.[name])
  return {
    thread_id: id,
    runs: count('runs'),
    holds: count('holds'),
    events: count('events'),
    grants: count('grants'),
    tasks: (await tasksAboutThread(query, number)).length,
    bytes: count('bytes'),
  }
}

async function deleteThread(query: Query, { id, number }: FoundThread): Promise<void> {
  await query(`DELETE FROM @grants WHERE ${GRANTS}`, [id])
  await query(`DELETE FROM @notices WHERE hold_id IN (${HOLDS})`, [id])
  await query(`DELETE FROM @links WHERE hold_id IN (${HOLDS})`, [id])
  await query('DELETE FROM @holds WHERE thread_id = $1', [id])
  await query('DELETE FROM @events WHERE thread = $1', [number])
  await query('DELETE FROM @inputs WHERE thread = $1', [number])
  await deleteTasksAboutThread(query, number)
  await deleteGraph(query, id)
  await query('DELETE FROM @runs WHERE thread = $1', [number])
  await query('DELETE FROM @threads WHERE number = $1', [number])
}

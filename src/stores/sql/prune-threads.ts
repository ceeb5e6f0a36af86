/**
 * Deletes finished work: a page of threads in each transaction, then tasks, then hosts. Keeps: a thread goes whole or stays whole;
 * none goes in which a run is not done, or a hold is open, or anything happened since.
 */
import type { HostName } from '../../core/fleet/fleet-host.ts'
import type { PrunedPage, PrunedThread, PruneQuery } from '../../ports/store/retention.ts'
import type { Dialect } from './driver/dialect.ts'
import type { Transaction } from './driver/driver.ts'
import { all, type Cell, first, type Row, run, type Work } from './driver/work.ts'
import { deleteGraph } from './sql-graphs.ts'
import { deleteTasksAboutThread, nextRange, pruneTasks, tasksAboutThread, tasksCursor } from './tasks/prune-tasks.ts'

/** In one transaction, so that no writer waits for long. */
const MOST_THREADS = 100
const MOST_EVENTS = 20_000

interface FoundThread {
  readonly id: string
  readonly number: number
}

/** Inside a transaction. A store of one machine has no hosts to prune. */
export function* prunePage(transaction: Transaction, prune: PruneQuery, host: HostName | null): Work<PrunedPage> {
  const after = tasksCursor(prune.after)
  const page = after === null ? yield* pruneThreads(transaction, prune) : { threads: [], tasks: [], next: null }
  if (page.next !== null) return page
  const { tasks, next } = yield* pruneTasks(transaction, prune, after ?? 0)
  if (next === null && host && !prune.dry_run) yield* pruneHosts(Date.parse(prune.before))
  return { ...page, tasks: [...page.tasks, ...tasks], next }
}

function* pruneThreads(transaction: Transaction, prune: PruneQuery): Work<PrunedPage> {
  const { found, next } = yield* finishedThreads(prune)
  const threads: PrunedThread[] = []
  const tasks: string[] = []
  for (let events = 0, n = 0; n < found.length; n += 1) {
    const place = found[n] as FoundThread
    if (events >= MOST_EVENTS) return { threads, tasks, next: String(found[n - 1]?.number) }
    const thread = yield* contents(transaction.dialect, place)
    events += thread.events
    threads.push(thread)
    tasks.push(...(yield* tasksAboutThread(place.number)))
    if (!prune.dry_run) yield* pruneThread(transaction, prune, { place, thread })
  }
  return { threads, tasks, next }
}

/** A pruned thread stays on record (P10). */
function* pruneThread(
  { dialect, record }: Transaction,
  { by: actor, surface }: PruneQuery,
  { place, thread }: { readonly place: FoundThread; readonly thread: PrunedThread },
): Work<void> {
  const { thread_id, ...data } = thread
  yield* deleteThread(dialect, place)
  yield* record([{ kind: 'thread.pruned', thread_id, actor, surface, data }])
}

interface FinishedPage {
  readonly found: readonly FoundThread[]
  /** The cursor after them; `null` if there are no more. */
  readonly next: string | null
}

/**
 * Among the next threads, so that the cost of a page does not grow with those that wait. To be deleted, they are locked, and
 * looked at once more under the lock: in one of them, a run may just have begun. One that another transaction writes to is
 * left for the next time.
 */
function* finishedThreads({ before, after = '0', dry_run }: PruneQuery): Work<FinishedPage> {
  const at = Date.parse(before)
  const { last, isEnd } = yield* nextRange('@threads', Number(after))
  const found = yield* threadsIn(
    `SELECT t.id, t.number FROM @threads t WHERE t.number > ?1 AND t.number <= ?3 AND ${FINISHED}
     ORDER BY t.number LIMIT ${MOST_THREADS}`,
    [Number(after), at, last],
  )
  const isFull = found.length === MOST_THREADS
  const next = isFull ? String(found.at(-1)?.number) : isEnd ? null : String(last)
  return { found: dry_run ? found : yield* stillFinished(yield* lockFree(found), at), next }
}

const numbersOf = (found: readonly FoundThread[]) => found.map(({ number }) => number)

function lockFree(found: readonly FoundThread[]): Work<FoundThread[]> {
  return threadsIn(
    'SELECT id, number FROM @threads WHERE number = ANY(?::bigint[]) ORDER BY number FOR UPDATE SKIP LOCKED',
    [numbersOf(found)],
  )
}

function stillFinished(found: readonly FoundThread[], at: number): Work<FoundThread[]> {
  return threadsIn(
    `SELECT t.id, t.number FROM @threads t WHERE t.number = ANY(?1::bigint[]) AND ${FINISHED} ORDER BY t.number`,
    [numbersOf(found), at],
  )
}

const FINISHED = `t.created_at < ?2
  AND NOT EXISTS (SELECT 1 FROM @runs WHERE thread = t.number AND (status <> 'done' OR updated_at >= ?2))
  AND NOT EXISTS (SELECT 1 FROM @holds WHERE thread_id = t.id AND status = 'open')
  AND NOT EXISTS (SELECT 1 FROM @exports WHERE thread = t.number)`

function* threadsIn(sql: string, values: readonly Cell[]): Work<FoundThread[]> {
  return (yield* all(sql, values)).map((row: Row) => ({ id: String(row['id']), number: Number(row['number']) }))
}

function* contents({ events, grants }: Dialect, { id, number }: FoundThread): Work<PrunedThread> {
  const ofThread = events.behind('?2::bigint', '0')
  const row = yield* first(
    `SELECT (SELECT count(*) FROM @runs WHERE thread = ?2) AS runs,
       (SELECT count(*) FROM @events WHERE ${ofThread}) AS events,
       (SELECT count(*) FROM @holds WHERE thread_id = ?1) AS holds,
       (SELECT count(*) FROM @grants WHERE ${grants.ofThread}) AS grants,
       (SELECT coalesce(sum(octet_length(data)), 0) FROM @events WHERE ${ofThread})
         + (SELECT coalesce(sum(octet_length(asked)), 0) FROM @holds WHERE thread_id = ?1) AS bytes`,
    [id, number],
  )
  const count = (name: string) => Number(row?.[name])
  return {
    thread_id: id,
    runs: count('runs'),
    holds: count('holds'),
    events: count('events'),
    grants: count('grants'),
    tasks: (yield* tasksAboutThread(number)).length,
    bytes: count('bytes'),
  }
}

const HOLDS = 'SELECT id FROM @holds WHERE thread_id = ?'

function* deleteThread({ events, grants }: Dialect, { id, number }: FoundThread): Work<void> {
  yield* run(`DELETE FROM @grants WHERE ${grants.ofThread}`, [id])
  yield* run(`DELETE FROM @notices WHERE hold_id IN (${HOLDS})`, [id])
  yield* run('DELETE FROM @notices WHERE hold_id IN (SELECT id FROM @runs WHERE thread = ?)', [number])
  yield* run(`DELETE FROM @links WHERE hold_id IN (${HOLDS})`, [id])
  yield* run('DELETE FROM @holds WHERE thread_id = ?', [id])
  yield* run(`DELETE FROM @events WHERE ${events.behind('?1::bigint', '0')}`, [number])
  yield* run('DELETE FROM @folds WHERE thread = ?', [number])
  yield* run('DELETE FROM @inputs WHERE thread = ?', [number])
  yield* deleteTasksAboutThread(number)
  yield* deleteGraph(id)
  yield* run('DELETE FROM @runs WHERE thread = ?', [number])
  yield* run('DELETE FROM @threads WHERE number = ?', [number])
}

/**
 * Inside a transaction: forgets each host that had no sign of life since `before` (milliseconds since 1970) and has no task.
 * A task locks the row of its host until it is written (`nameHost`), so none is forgotten meanwhile.
 */
function* pruneHosts(before: number): Work<void> {
  const seen = yield* all('SELECT id FROM @hosts WHERE seen_at < ? ORDER BY id FOR UPDATE SKIP LOCKED', [before])
  if (seen.length === 0) return
  const unused = yield* all(
    `DELETE FROM @hosts h WHERE id = ANY(?::text[]) AND NOT EXISTS (SELECT 1 FROM @tasks WHERE host = h.id) RETURNING id`,
    [seen.map(row => String(row['id']))],
  )
  yield* run('DELETE FROM @daemons WHERE host = ANY(?::text[])', [unused.map(row => String(row['id']))])
}

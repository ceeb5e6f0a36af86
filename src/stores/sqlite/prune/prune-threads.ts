/**
 * Deletes finished work: a page of threads in each transaction, then tasks. Keeps: a thread goes whole or stays whole;
 * none goes in which a run is not done, or a hold is open, or anything happened since.
 */
import type { PrunedPage, PrunedThread, PruneQuery } from '../../../ports/store/retention.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import type { Database } from '../database/database.ts'
import { deleteGraph } from '../graphs/sqlite-graphs.ts'
import { auditEntries } from '../tables/audit-table.ts'
import type { ThreadPlace } from '../tables/journal-table.ts'
import { deleteTasksAboutThread, pruneTasks, tasksAboutThread, tasksCursor } from '../tasks/prune-tasks.ts'

/** In one transaction, so that no writer waits for long. */
const MOST_THREADS = 100
const MOST_EVENTS = 20_000

/** Inside a transaction, unless nothing is to be deleted. */
export function prunePage(database: Database, query: PruneQuery, at: number): PrunedPage {
  const after = tasksCursor(query.after)
  const page = after === null ? pruneThreads(database, query, at) : { threads: [], tasks: [], next: null }
  if (page.next !== null) return page
  const { tasks, next } = pruneTasks(database, query, { after: after ?? 0, at })
  return { ...page, tasks: [...page.tasks, ...tasks], next }
}

function pruneThreads(database: Database, query: PruneQuery, at: number): PrunedPage {
  const found = finishedThreads(database, query)
  const threads: PrunedThread[] = []
  const tasks: string[] = []
  for (let events = 0; threads.length < found.length && events < MOST_EVENTS; ) {
    const place = found[threads.length] as ThreadPlace
    const thread = contents(database, place)
    events += thread.events
    threads.push(thread)
    tasks.push(...tasksAboutThread(database, place.number))
    if (query.dry_run) continue
    deleteThread(database, place)
    recordPruned(database, { thread, query, at })
  }
  const isLast = threads.length === found.length && found.length < MOST_THREADS
  return { threads, tasks, next: isLast ? null : String(found[threads.length - 1]?.number) }
}

/** A pruned thread stays on record (P10). */
function recordPruned(
  database: Database,
  { thread, query, at }: { thread: PrunedThread; query: PruneQuery; at: number },
): void {
  const { thread_id, ...data } = thread
  const { by: actor, surface } = query
  auditEntries(database, [{ kind: 'thread.pruned', thread_id, actor, surface, data }], at)
}

function finishedThreads(database: Database, { before, after = '0' }: PruneQuery): ThreadPlace[] {
  const at = Date.parse(before)
  return database
    .statement(
      `SELECT id, number FROM threads t WHERE number > ? AND created_at < ?
         AND NOT EXISTS (SELECT 1 FROM runs WHERE thread = t.number AND (status <> 'done' OR updated_at >= ?))
         AND NOT EXISTS (SELECT 1 FROM holds WHERE thread_id = t.id AND status = 'open')
         AND NOT EXISTS (SELECT 1 FROM exports WHERE thread = t.number)
       ORDER BY number LIMIT ?`,
    )
    .all(Number(after), at, at, MOST_THREADS)
    .map(row => ({ id: String(row['id']), number: Number(row['number']) }))
}

const HOLDS = 'SELECT id FROM holds WHERE thread_id = ?'
const GRANTS = `agent IN (SELECT agent FROM holds WHERE thread_id = ?) AND json_extract(given, '$.scope') <> 'project'
  AND json_extract(given, '$.hold_id') IN (${HOLDS})`

function contents(database: Database, { id, number }: ThreadPlace): PrunedThread {
  const journal = database
    .statement('SELECT count(*) AS events, total(octet_length(data)) AS bytes FROM events WHERE place BETWEEN ? AND ?')
    .get(...rangeOf(number))
  const asked = database
    .statement('SELECT count(*) AS holds, total(octet_length(asked)) AS bytes FROM holds WHERE thread_id = ?')
    .get(id)
  return {
    thread_id: id,
    runs: countIn(database, 'SELECT count(*) AS n FROM runs WHERE thread = ?', number),
    events: Number(journal?.['events']),
    holds: Number(asked?.['holds']),
    grants: countIn(database, `SELECT count(*) AS n FROM grants WHERE ${GRANTS}`, id, id),
    tasks: tasksAboutThread(database, number).length,
    bytes: Number(journal?.['bytes']) + Number(asked?.['bytes']),
  }
}

function deleteThread(database: Database, { id, number }: ThreadPlace): void {
  database.statement(`DELETE FROM grants WHERE ${GRANTS}`).run(id, id)
  database.statement(`DELETE FROM notices WHERE hold_id IN (${HOLDS})`).run(id)
  database.statement(`DELETE FROM links WHERE hold_id IN (${HOLDS})`).run(id)
  database.statement('DELETE FROM holds WHERE thread_id = ?').run(id)
  database.statement('DELETE FROM events WHERE place BETWEEN ? AND ?').run(...rangeOf(number))
  database.statement('DELETE FROM inputs WHERE thread = ?').run(number)
  deleteTasksAboutThread(database, number)
  deleteGraph(database, id)
  database.statement('DELETE FROM runs WHERE thread = ?').run(number)
  database.statement('DELETE FROM threads WHERE number = ?').run(number)
}

function rangeOf(number: number): [first: number, last: number] {
  return [number * SEQ_SPAN, (number + 1) * SEQ_SPAN - 1]
}

function countIn(database: Database, sql: string, ...values: (string | number)[]): number {
  return Number(database.statement(sql).get(...values)?.['n'])
}

import { isWoken } from '../../../core/advancing/run-standing.ts'
import type { NewAuditEntry } from '../../../core/audit/audit.ts'
import { LeaseLostError } from '../../../core/errors.ts'
import type { RunStatus } from '../../../core/journal/thread.ts'
import type { HoldScope } from '../../../core/run/profile.ts'
import { WAITS_FOR_TURN } from '../../../core/task/start-queue.ts'
import { isoTime } from '../../../core/text/iso-time.ts'
import type { RunQueueQuery, SeenLease } from '../../../ports/store/run-queue.ts'
import type { Claim, Lease, NewRun, RowChange, RunQuery, RunRow, Start } from '../../../ports/store/runs.ts'
import { RUN_COLUMNS, runIn } from '../../rows/run-row.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import type { Database } from '../database/database.ts'
import { auditEntries } from './audit-table.ts'
import type { ThreadPlace } from './journal-table.ts'

const FROM = 'FROM runs r JOIN threads t ON t.number = r.thread LEFT JOIN exports x ON x.thread = r.thread'

type Row = Record<string, unknown>
type Cell = string | number | null

export interface StoredRun {
  readonly row: RunRow
  readonly thread: ThreadPlace
}

export function findRun(database: Database, id: string): StoredRun | null {
  const row = database.statement(`SELECT ${RUN_COLUMNS} ${FROM} WHERE r.id = ?`).get(id)
  return row ? storedRun(row) : null
}

type Condition = readonly [sql: string, value: Cell]

export function listRuns(database: Database, query: RunQuery): RunRow[] {
  const conditions = [...conditionsOf(query)]
  if (query.after !== undefined) conditions.push(['r.number < ?', Number(numberOf(database, query.after) ?? 0)])
  const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}` : ''
  return database
    .statement(`SELECT ${RUN_COLUMNS} ${FROM} ${where} ORDER BY r.number DESC LIMIT ?`)
    .all(...conditions.map(([, value]) => value), query.limit ?? -1)
    .map(row => storedRun(row).row)
}

function* conditionsOf({ run_id, status, thread_id, parent_run_id }: RunQuery): Generator<Condition> {
  if (run_id !== undefined) yield ['r.id = ?', run_id]
  // Spelled out, so that SQLite can see that the partial index serves.
  if (status) yield [status === 'done' ? 'r.status = ?' : "r.status = ? AND r.status <> 'done'", status]
  if (thread_id !== undefined) yield ['t.id = ?', thread_id]
  if (parent_run_id !== undefined) yield ['r.parent_run_id = ?', parent_run_id]
}

/** No other process goes on with it, and it does not wait for its turn as a task. */
const IS_READY = `r.lease_owner IS NULL AND x.record IS NULL AND NOT EXISTS (
  SELECT 1 FROM tasks k JOIN task_invocations i ON i.task = k.number AND i.n = k.newest
  WHERE k.subject = r.id AND k.status = 'pending' AND i.supervisor = '${WAITS_FOR_TURN}')`
const IS_NO_TASK = 'NOT EXISTS (SELECT 1 FROM tasks k WHERE k.subject = r.id)'

/** Found by the index of what is not done: neither waiting nor done runs are read. */
export function listReady(database: Database, { tasks = true, ...page }: RunQueueQuery): RunRow[] {
  return listRunning(database, page, tasks ? IS_READY : `${IS_READY} AND ${IS_NO_TASK}`)
}

export function listLeased(database: Database, page: RunQueueQuery): RunRow[] {
  return listRunning(database, page, 'r.lease_owner IS NOT NULL')
}

function listRunning(database: Database, { run_id, limit, after }: RunQueueQuery, which: string): RunRow[] {
  const number = after === undefined ? 0 : Number(numberOf(database, after) ?? 0)
  const isAsked = run_id === undefined ? '' : 'AND r.id = ?'
  return database
    .statement(
      `SELECT ${RUN_COLUMNS} ${FROM} WHERE r.status = 'running' AND r.status <> 'done' AND r.number > ? AND ${which}
       ${isAsked} ORDER BY r.number LIMIT ?`,
    )
    .all(number, ...(run_id === undefined ? [] : [run_id]), limit)
    .map(row => storedRun(row).row)
}

/** Inside a transaction. True if the lease was as it was seen. */
export function reclaimLease(
  database: Database,
  { run_id, owner, fence, until }: SeenLease,
  note?: { readonly entry: NewAuditEntry; readonly at: number },
): boolean {
  const { changes } = database
    .statement(
      `UPDATE runs SET lease_owner = NULL, lease_until = NULL
       WHERE id = ? AND lease_owner = ? AND fence = ? AND lease_until = ?`,
    )
    .run(run_id, owner, fence, Date.parse(until))
  if (changes === 1 && note) auditEntries(database, [note.entry], note.at)
  return changes === 1
}

/** Inside a transaction. */
export function insertRun(
  database: Database,
  thread: ThreadPlace,
  run: NewRun & Pick<Start, 'status' | 'checkpoint_id' | 'ended' | 'reserve'> & { at: number },
): void {
  const { reserve } = run
  database
    .statement(
      `INSERT INTO runs (id, thread, agent, status, hold_scope, parent_run_id, checkpoint_id, ended, created_at, updated_at,
         lease_owner, lease_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[run.id, thread.number, run.agent, run.status, run.hold_scope, run.parent_run_id ?? null],
      ...[
        run.checkpoint_id,
        run.ended ?? null,
        run.at,
        run.at,
        reserve?.owner ?? null,
        reserve ? run.at + reserve.ttl_ms : null,
      ],
    )
}

/** Inside a transaction. @throws LeaseLostError if this lease is not the one that counts any more. */
export function guardLease(database: Database, lease: Lease): void {
  guarded(lease, database.statement('SELECT fence, lease_owner FROM runs WHERE id = ?').get(lease.run_id))
}

/** A text that is put together at each call is hashed anew to find its statement. */
const GUARDED_THREAD = `SELECT thread, fence, lease_owner,
    (SELECT place FROM events WHERE place < (thread + 1) * ${SEQ_SPAN} ORDER BY place DESC LIMIT 1) AS newest
  FROM runs WHERE id = ?`

/** As `guardLease`, with the run's thread and its newest `seq`: a step asks for all of it at each of its commits. */
export function guardedThread(
  database: Database,
  lease: Lease,
): { readonly thread: ThreadPlace; readonly last: number } {
  const row = guarded(lease, database.statement(GUARDED_THREAD).get(lease.run_id))
  const number = Number(row['thread'])
  return { thread: { id: lease.thread_id, number }, last: Math.max(Number(row['newest']) - number * SEQ_SPAN, 0) }
}

function guarded(lease: Lease, row: Row | undefined): Row {
  if (!row || row['fence'] !== lease.fence || row['lease_owner'] !== lease.owner) throw new LeaseLostError(lease.run_id)
  return row
}

/** Inside a transaction, on a run that is free to take. */
export function takeLease(database: Database, { row }: StoredRun, claim: Claim, now: number): Lease {
  const until = now + claim.ttl_ms
  database
    .statement('UPDATE runs SET lease_owner = ?, lease_until = ?, fence = fence + 1 WHERE id = ?')
    .run(claim.owner, until, row.id)
  const fence = database.statement('SELECT fence FROM runs WHERE id = ?').get(row.id)?.['fence']
  return { run_id: row.id, thread_id: row.thread_id, owner: claim.owner, fence: Number(fence), until: isoTime(until) }
}

/** Inside a transaction, after `guardLease`. */
export function extendLease(database: Database, lease: Lease, until: number): Lease {
  database.statement('UPDATE runs SET lease_until = ? WHERE id = ?').run(until, lease.run_id)
  return { ...lease, until: isoTime(until) }
}

/** Inside a transaction, after `guardLease`. */
export function updateRun(
  database: Database,
  runId: string,
  change: RowChange & { readonly release?: boolean },
  now: number,
): void {
  const { status = null, checkpoint_id = null, ended = null, release = false } = change
  database
    .statement(
      `UPDATE runs SET status = coalesce(?, status), checkpoint_id = coalesce(?, checkpoint_id), ended = coalesce(?, ended),
         updated_at = ?,
         lease_owner = iif(?, NULL, lease_owner), lease_until = iif(?, NULL, lease_until)
       WHERE id = ?`,
    )
    .run(status, checkpoint_id, ended, now, Number(release), Number(release), runId)
}

/** Inside a transaction: a run that waits is ready from now on. */
export function readyRun(database: Database, runId: string, now: number): void {
  database
    .statement(`UPDATE runs SET status = 'running', updated_at = ? WHERE id = ? AND status = 'waiting'`)
    .run(now, runId)
}

/** Inside a transaction, after a hold of the run was decided. */
export function wakeRun(database: Database, runId: string, now: number): void {
  const row = database
    .statement(
      `SELECT status, hold_scope, EXISTS (SELECT 1 FROM holds WHERE run_id = runs.id AND status = 'open') AS has_open
       FROM runs WHERE id = ?`,
    )
    .get(runId)
  if (!row) return
  const run = { status: row['status'] as RunStatus, hold_scope: row['hold_scope'] as HoldScope }
  if (isWoken(run, row['has_open'] === 1)) readyRun(database, runId, now)
}

function numberOf(database: Database, runId: string): unknown {
  return database.statement('SELECT number FROM runs WHERE id = ?').get(runId)?.['number']
}

function storedRun(row: Row): StoredRun {
  return { thread: { id: String(row['thread_id']), number: Number(row['thread']) }, row: runIn(row) }
}

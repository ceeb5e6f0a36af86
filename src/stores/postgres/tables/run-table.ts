import { isWoken } from '../../../core/advancing/run-standing.ts'
import type { RunStatus } from '../../../core/journal/thread.ts'
import type { HoldScope } from '../../../core/run/profile.ts'
import { WAITS_FOR_TURN } from '../../../core/task/start-queue.ts'
import { isoTime } from '../../../core/text/iso-time.ts'
import type { RunQueueQuery } from '../../../ports/store/run-queue.ts'
import type { Claim, Lease, NewRun, RowChange, RunQuery, RunRow, Start } from '../../../ports/store/runs.ts'
import { RUN_COLUMNS, runIn } from '../../rows/run-row.ts'
import { Conditions } from '../database/conditions.ts'
import type { Query, Statements } from '../database/pool.ts'
import type { LockedThread } from './journal-table.ts'

const FROM = 'FROM @runs r JOIN @threads t ON t.number = r.thread LEFT JOIN @exports x ON x.thread = r.thread'

export async function findRun(query: Query, id: string): Promise<RunRow | null> {
  const { rows } = await query(`SELECT ${RUN_COLUMNS} ${FROM} WHERE r.id = $1`, [id])
  return rows.map(runIn)[0] ?? null
}

/** Inside a transaction that has the thread locked: its lease cannot be renewed or reclaimed meanwhile. */
export async function lockRun(query: Query, id: string): Promise<RunRow | null> {
  const { rows } = await query(`SELECT ${RUN_COLUMNS} ${FROM} WHERE r.id = $1 FOR UPDATE OF r`, [id])
  return rows.map(runIn)[0] ?? null
}

export async function listRuns(query: Query, asked: RunQuery): Promise<RunRow[]> {
  const { run_id, status, thread_id, parent_run_id, after } = asked
  const chosen = new Conditions()
    .add('r.id = ?', run_id)
    // Spelled out, so that PostgreSQL can see that the partial index serves.
    .add(status === 'done' ? 'r.status = ?' : "r.status = ? AND r.status <> 'done'", status)
    .add('r.thread = (SELECT number FROM @threads WHERE id = ?)', thread_id)
    .add('r.parent_run_id = ?', parent_run_id)
    .add('r.number < (SELECT number FROM @runs WHERE id = ?)', after)
  const { rows } = await query(
    `SELECT ${RUN_COLUMNS} ${FROM} ${chosen.where} ORDER BY r.number DESC LIMIT ${chosen.next}`,
    [...chosen.values, asked.limit ?? null],
  )
  return rows.map(runIn)
}

/** No other process goes on with it, and it does not wait for its turn as a task. */
const IS_READY = `r.lease_owner IS NULL AND x.record IS NULL AND NOT EXISTS (
  SELECT 1 FROM @tasks k JOIN @task_invocations i ON i.task = k.number AND i.n = k.newest
  WHERE k.subject = r.id AND k.status = 'pending' AND i.supervisor = '${WAITS_FOR_TURN}')`
const IS_NO_TASK = 'NOT EXISTS (SELECT 1 FROM @tasks k WHERE k.subject = r.id)'

/** Found by the index of what is not done: neither waiting nor done runs are read. */
export function listReady(query: Query, { tasks = true, ...page }: RunQueueQuery, host: string): Promise<RunRow[]> {
  return listRunning(query, page, { which: tasks ? IS_READY : `${IS_READY} AND ${IS_NO_TASK}`, host })
}

export function listLeased(query: Query, page: RunQueueQuery): Promise<RunRow[]> {
  return listRunning(query, page, { which: 'r.lease_owner IS NOT NULL' })
}

interface Running {
  readonly which: string
  /** Without the runs that are tasks of other hosts. */
  readonly host?: string
}

async function listRunning(
  query: Query,
  { run_id, limit, after }: RunQueueQuery,
  { which, host }: Running,
): Promise<RunRow[]> {
  const chosen = new Conditions()
    .addText(`r.status = 'running' AND r.status <> 'done' AND ${which}`)
    .add('NOT EXISTS (SELECT 1 FROM @tasks k WHERE k.subject = r.id AND k.host <> ?)', host)
    .add('r.id = ?', run_id)
    .add('r.number > coalesce((SELECT number FROM @runs WHERE id = ?), 0)', after)
  const { rows } = await query(`SELECT ${RUN_COLUMNS} ${FROM} ${chosen.where} ORDER BY r.number LIMIT ${chosen.next}`, [
    ...chosen.values,
    limit,
  ])
  return rows.map(runIn)
}

/** Inside a transaction. */
export async function insertRun(
  query: Query,
  thread: LockedThread,
  run: NewRun & Pick<Start, 'status' | 'checkpoint_id' | 'ended' | 'reserve'> & { readonly at: number },
): Promise<void> {
  const { reserve, at } = run
  await query(
    `INSERT INTO @runs (id, thread, agent, status, hold_scope, parent_run_id, checkpoint_id, ended, created_at, updated_at,
       lease_owner, lease_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11)`,
    [
      ...[run.id, thread.number, run.agent, run.status, run.hold_scope, run.parent_run_id ?? null, run.checkpoint_id],
      ...[run.ended ?? null, at, reserve?.owner ?? null, reserve ? at + reserve.ttl_ms : null],
    ],
  )
}

/** Inside a transaction, on a run that is free to take. */
export async function takeLease(query: Query, run: RunRow, claim: Claim, now: number): Promise<Lease> {
  const until = now + claim.ttl_ms
  const { rows } = await query(
    'UPDATE @runs SET lease_owner = $1, lease_until = $2, fence = fence + 1 WHERE id = $3 RETURNING fence',
    [claim.owner, until, run.id],
  )
  const fence = Number(rows[0]?.['fence'])
  return { run_id: run.id, thread_id: run.thread_id, owner: claim.owner, fence, until: isoTime(until) }
}

/** Inside a transaction. */
export function updateRun(
  query: Statements,
  runId: string,
  change: RowChange & { readonly release?: boolean },
  now: number,
): void {
  const { status = null, checkpoint_id = null, ended = null, release = false } = change
  query.send(
    `UPDATE @runs SET status = coalesce($1, status), checkpoint_id = coalesce($2, checkpoint_id),
       ended = coalesce($3, ended), updated_at = $4,
       lease_owner = CASE WHEN $5::boolean THEN NULL ELSE lease_owner END,
       lease_until = CASE WHEN $5::boolean THEN NULL ELSE lease_until END
     WHERE id = $6`,
    [status, checkpoint_id, ended, now, release, runId],
  )
}

/** Inside a transaction: a run that waits is ready from now on. */
export async function readyRun(query: Query, runId: string, now: number): Promise<void> {
  await query(`UPDATE @runs SET status = 'running', updated_at = $1 WHERE id = $2 AND status = 'waiting'`, [now, runId])
}

/** Inside a transaction, after a hold of the run was decided. */
export async function wakeRun(query: Query, runId: string, now: number): Promise<void> {
  const { rows } = await query(
    `SELECT status, hold_scope, EXISTS (SELECT 1 FROM @holds h WHERE h.run_id = $1 AND h.status = 'open') AS has_open
     FROM @runs WHERE id = $1`,
    [runId],
  )
  const [row] = rows
  if (!row) return
  const run = { status: row['status'] as RunStatus, hold_scope: row['hold_scope'] as HoldScope }
  if (isWoken(run, row['has_open'] === true)) await readyRun(query, runId, now)
}

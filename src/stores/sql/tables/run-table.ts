import { isWoken } from '../../../core/advancing/run-standing.ts'
import type { AdvanceFailure } from '../../../core/advancing/stuck-run.ts'
import type { RunStatus } from '../../../core/journal/thread.ts'
import type { HoldScope } from '../../../core/run/profile.ts'
import { WAITS_FOR_TURN } from '../../../core/task/start-queue.ts'
import type { RunQueueQuery } from '../../../ports/store/run-queue.ts'
import type { NewRun, RowChange, RunQuery, RunRow, Start } from '../../../ports/store/runs.ts'
import { RUN_COLUMNS, runIn } from '../../rows/run-row.ts'
import { Conditions } from '../driver/conditions.ts'
import { all, first, run, type Statement, send, type Work } from '../driver/work.ts'
import type { LockedThread } from './journal-table.ts'

const FROM = 'FROM @runs r JOIN @threads t ON t.number = r.thread LEFT JOIN @exports x ON x.thread = r.thread'

const FIND = `SELECT ${RUN_COLUMNS} ${FROM} WHERE r.id = ?`

export function* findRun(id: string): Work<RunRow | null> {
  const row = yield* first(FIND, [id])
  return row ? runIn(row) : null
}

const LOCK = `${FIND} FOR UPDATE OF r`

/** Inside a transaction that has the thread locked: its lease cannot be renewed or reclaimed meanwhile. */
export function* lockRun(id: string): Work<RunRow | null> {
  const row = yield* first(LOCK, [id])
  return row ? runIn(row) : null
}

export function* listRuns({ run_id, status, thread_id, parent_run_id, after, limit }: RunQuery): Work<RunRow[]> {
  const chosen = new Conditions()
    .add('r.id = ?', run_id)
    // Spelled out, so that the database can see that the partial index serves.
    .add(status === 'done' ? 'r.status = ?' : "r.status = ? AND r.status <> 'done'", status)
    .add('r.thread = (SELECT number FROM @threads WHERE id = ?)', thread_id)
    .add('r.parent_run_id = ?', parent_run_id)
    .add('r.number < (SELECT number FROM @runs WHERE id = ?)', after)
  const page = `SELECT ${RUN_COLUMNS} ${FROM} ${chosen.where} ORDER BY r.number DESC LIMIT ?`
  return (yield* all(page, [...chosen.values, limit ?? null])).map(runIn)
}

/** No other process has the run, and it does not wait for its turn as a task. */
const IS_READY = `r.lease_owner IS NULL AND x.record IS NULL AND NOT EXISTS (
  SELECT 1 FROM @tasks k JOIN @task_invocations i ON i.task = k.number AND i.n = k.newest
  WHERE k.subject = r.id AND k.status = 'pending' AND i.supervisor = '${WAITS_FOR_TURN}')`
const IS_NO_TASK = 'NOT EXISTS (SELECT 1 FROM @tasks k WHERE k.subject = r.id)'

/** Found by the index of what is not done: neither waiting nor done runs are read. */
export function listReady({ tasks = true, ...page }: RunQueueQuery, { now, host }: ReadyNow): Work<RunRow[]> {
  return listRunning(page, { which: tasks ? IS_READY : `${IS_READY} AND ${IS_NO_TASK}`, host, readyAt: now })
}

interface ReadyNow {
  readonly now: number
  /** With a host, without tasks of others. */
  readonly host: string | undefined
}

export function listLeased(page: RunQueueQuery): Work<RunRow[]> {
  return listRunning(page, { which: 'r.lease_owner IS NOT NULL' })
}

interface Chosen {
  readonly which: string
  readonly host?: string | undefined
  readonly readyAt?: number
}

function* listRunning({ run_id, limit, after }: RunQueueQuery, { which, host, readyAt }: Chosen): Work<RunRow[]> {
  const chosen = new Conditions()
    .addText(`r.status = 'running' AND r.status <> 'done' AND ${which}`)
    .add('NOT EXISTS (SELECT 1 FROM @tasks k WHERE k.subject = r.id AND k.host <> ?)', host)
    .add('coalesce(r.retry_at, 0) <= ?', readyAt)
    .add('r.id = ?', run_id)
    .add('r.number > coalesce((SELECT number FROM @runs WHERE id = ?), 0)', after)
  const page = `SELECT ${RUN_COLUMNS} ${FROM} ${chosen.where} ORDER BY r.number LIMIT ?`
  return (yield* all(page, [...chosen.values, limit])).map(runIn)
}

/** Inside a transaction. */
export function* insertRun(
  thread: LockedThread,
  added: NewRun & Pick<Start, 'status' | 'checkpoint_id' | 'ended' | 'reserve'>,
  at: number,
): Work<void> {
  const { id, agent, status, hold_scope, parent_run_id = null, checkpoint_id, ended = null, reserve } = added
  yield* run(
    `INSERT INTO @runs (id, thread, agent, status, hold_scope, parent_run_id, checkpoint_id, ended, created_at, updated_at,
       lease_owner, lease_until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11)`,
    [
      ...[id, thread.number, agent, status, hold_scope, parent_run_id, checkpoint_id, ended],
      ...[at, reserve?.owner ?? null, reserve ? at + reserve.ttl_ms : null],
    ],
  )
}

const UPDATE = `UPDATE @runs SET status = coalesce(?1, status), checkpoint_id = coalesce(?2, checkpoint_id),
    ended = coalesce(?3, ended), updated_at = ?4,
    lease_owner = CASE WHEN ?5::boolean THEN NULL ELSE lease_owner END,
    lease_until = CASE WHEN ?5::boolean THEN NULL ELSE lease_until END,
    retry_at = CASE WHEN ?5::boolean THEN ?7 ELSE retry_at END
  WHERE id = ?6`

/** Inside a transaction. */
export function updateRun(
  runId: string,
  change: RowChange & { readonly release?: boolean },
  now: number,
): readonly Statement[] {
  const { status = null, checkpoint_id = null, ended = null, retry_at, release = false } = change
  const retryAt = retry_at === undefined ? null : Date.parse(retry_at)
  return send(UPDATE, [status, checkpoint_id, ended, now, release, runId, retryAt])
}

/** Inside a transaction. It is no step of the run, so `updated_at` stays. */
export function* noteFailure(runId: string, failure: AdvanceFailure): Work<void> {
  yield* run(`UPDATE @runs SET failure = ? WHERE id = ? AND status = 'running' AND lease_owner IS NULL`, [
    ...[JSON.stringify(failure), runId],
  ])
}

/** Inside a transaction: a run that waits is ready from now on. */
export function* readyRun(runId: string, now: number): Work<void> {
  yield* run(`UPDATE @runs SET status = 'running', updated_at = ? WHERE id = ? AND status = 'waiting'`, [now, runId])
}

/** Inside a transaction: what was said to a run that waits for the provider of its model is taken in at once. */
export function* endOutage(runId: string): Work<void> {
  yield* run('UPDATE @runs SET retry_at = NULL WHERE id = ? AND retry_at IS NOT NULL', [runId])
}

/** In milliseconds since 1970, as `after` is. */
export function* nextRetryTime(after: number): Work<number | null> {
  const row = yield* first('SELECT min(retry_at) AS at FROM @runs WHERE retry_at > ?', [after])
  return row?.['at'] == null ? null : Number(row['at'])
}

/** Inside a transaction, after a hold of the run was decided. */
export function* wakeRun(runId: string, now: number): Work<void> {
  const row = yield* first(
    `SELECT status, hold_scope, EXISTS (SELECT 1 FROM @holds h WHERE h.run_id = ?1 AND h.status = 'open') AS has_open
     FROM @runs WHERE id = ?1`,
    [runId],
  )
  if (!row) return
  const woken = { status: row['status'] as RunStatus, hold_scope: row['hold_scope'] as HoldScope }
  if (isWoken(woken, Number(row['has_open']) === 1)) yield* readyRun(runId, now)
}

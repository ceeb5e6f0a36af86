/** P7: writes of owners of leases. Each is refused if the lease is not the one that counts any more. */
import type { NewAuditEntry } from '../../../core/audit/audit.ts'
import { LeaseLostError } from '../../../core/errors.ts'
import { isoTime } from '../../../core/text/iso-time.ts'
import type { SeenLease } from '../../../ports/store/run-queue.ts'
import type { Claim, Lease, RunRow } from '../../../ports/store/runs.ts'
import { type Dialect, textBy } from '../driver/dialect.ts'
import type { Asked, Transaction } from '../driver/driver.ts'
import { first, type Row, run, type Work } from '../driver/work.ts'
import { type LockedThread, lockedThread } from './journal-table.ts'

/** Locks the thread of the run and the run, in this order. */
export function lockOf(dialect: Dialect, lease: Lease): Asked {
  return { sql: LOCK(dialect), values: [lease.run_id] }
}

const LOCK = textBy(
  ({ newest }) => `SELECT t.id, t.number, ${newest} AS newest, r.fence, r.lease_owner
    FROM @threads t JOIN @runs r ON r.thread = t.number WHERE r.id = ? FOR UPDATE`,
)

/** The thread that `lockOf` has found. @throws LeaseLostError */
export function leasedThread(lease: Lease, [row]: readonly Row[]): LockedThread {
  if (!row || Number(row['fence']) !== lease.fence || row['lease_owner'] !== lease.owner)
    throw new LeaseLostError(lease.run_id)
  return lockedThread(row)
}

/** Inside a transaction, on a run that is free to take. */
export function* takeLease(row: RunRow, { owner, ttl_ms }: Claim, now: number): Work<Lease> {
  const until = now + ttl_ms
  const take =
    'UPDATE @runs SET lease_owner = ?, lease_until = ?, retry_at = NULL, fence = fence + 1 WHERE id = ? RETURNING fence'
  const fence = Number((yield* first(take, [owner, until, row.id]))?.['fence'])
  return { run_id: row.id, thread_id: row.thread_id, owner, fence, until: isoTime(until) }
}

/** @throws LeaseLostError */
export function* extendLease(lease: Lease, until: number): Work<Lease> {
  const count = yield* run('UPDATE @runs SET lease_until = ? WHERE id = ? AND fence = ? AND lease_owner = ?', [
    ...[until, lease.run_id, lease.fence, lease.owner],
  ])
  if (count === 0) throw new LeaseLostError(lease.run_id)
  return { ...lease, until: isoTime(until) }
}

/** @throws LeaseLostError */
export function* releaseLease(lease: Lease, now: number): Work<void> {
  const count = yield* run(
    `UPDATE @runs SET lease_owner = NULL, lease_until = NULL, updated_at = ?
     WHERE id = ? AND fence = ? AND lease_owner = ?`,
    [now, lease.run_id, lease.fence, lease.owner],
  )
  if (count === 0) throw new LeaseLostError(lease.run_id)
}

/** True if the lease was as it was seen. */
export function* reclaimLease(
  { record }: Transaction,
  { run_id, owner, fence, until }: SeenLease,
  entry?: NewAuditEntry,
): Work<boolean> {
  const count = yield* run(
    `UPDATE @runs SET lease_owner = NULL, lease_until = NULL
     WHERE id = ? AND lease_owner = ? AND fence = ? AND lease_until = ?`,
    [run_id, owner, fence, Date.parse(until)],
  )
  if (count === 1 && entry) yield* record([entry])
  return count === 1
}

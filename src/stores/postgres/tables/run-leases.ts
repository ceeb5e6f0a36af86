/** P7: writes of owners of leases. Each is refused if the lease is not the one that counts any more. */
import type { NewAuditEntry } from '../../../core/audit/audit.ts'
import { LeaseLostError } from '../../../core/errors.ts'
import { isoTime } from '../../../core/text/iso-time.ts'
import type { SeenLease } from '../../../ports/store/run-queue.ts'
import type { Lease } from '../../../ports/store/runs.ts'
import { auditEntries } from '../audit/audit-records.ts'
import type { Query, Row, Statements } from '../database/pool.ts'
import type { Statement } from '../database/statements.ts'
import type { LockedThread } from './journal-table.ts'

/** Locks the thread of the run and the run, in this order. */
export function lockOf(lease: Lease): Statement {
  const sql = `SELECT t.number, t.newest, r.fence, r.lease_owner FROM @threads t JOIN @runs r ON r.thread = t.number
     WHERE r.id = $1 FOR UPDATE`
  return { sql, values: [lease.run_id] }
}

/** The thread that `lockOf` has found. @throws LeaseLostError */
export function leasedThread(lease: Lease, [row]: readonly Row[]): LockedThread {
  if (!row || Number(row['fence']) !== lease.fence || row['lease_owner'] !== lease.owner)
    throw new LeaseLostError(lease.run_id)
  return { id: lease.thread_id, number: Number(row['number']), newest: Number(row['newest']) }
}

/** @throws LeaseLostError */
export async function extendLease(query: Query, lease: Lease, until: number): Promise<Lease> {
  const { count } = await query('UPDATE @runs SET lease_until = $1 WHERE id = $2 AND fence = $3 AND lease_owner = $4', [
    until,
    lease.run_id,
    lease.fence,
    lease.owner,
  ])
  if (count === 0) throw new LeaseLostError(lease.run_id)
  return { ...lease, until: isoTime(until) }
}

/** @throws LeaseLostError */
export async function releaseLease(query: Query, lease: Lease, now: number): Promise<void> {
  const { count } = await query(
    `UPDATE @runs SET lease_owner = NULL, lease_until = NULL, updated_at = $1
     WHERE id = $2 AND fence = $3 AND lease_owner = $4`,
    [now, lease.run_id, lease.fence, lease.owner],
  )
  if (count === 0) throw new LeaseLostError(lease.run_id)
}

/** True if the lease was as it was seen. */
export async function reclaimLease(
  query: Statements,
  { run_id, owner, fence, until }: SeenLease,
  note?: { readonly entry: NewAuditEntry; readonly at: number },
): Promise<boolean> {
  const { count } = await query(
    `UPDATE @runs SET lease_owner = NULL, lease_until = NULL
     WHERE id = $1 AND lease_owner = $2 AND fence = $3 AND lease_until = $4`,
    [run_id, owner, fence, Date.parse(until)],
  )
  if (count === 1 && note) auditEntries(query, [note.entry], note.at)
  return count === 1
}

/**
 * P10: gives pending records their places in the chain, in the order in which they were written. One process at a time
 * does, as it locks the row of the head; of a thread, records are pending in the order of its events.
 */
import type { AuditHead } from '../../../core/audit/audit-chain.ts'
import { sealPending } from '../../../core/audit/seal-records.ts'
import { sha256 } from '../../sha256.ts'
import { asHead } from '../../sql/audit/audit-rows.ts'
import { all, first, send, type Work } from '../../sql/driver/work.ts'
import type { Pool, Query } from '../database/pool.ts'
import { runWork } from '../database/run-work.ts'
import type { Statement } from '../database/statements.ts'

/** In one transaction: a reader that waits for the lock waits briefly. */
const MOST_RECORDS = 1_000

/**
 * Seals all that is committed: a reader that calls it first sees each record that any process has written. True if there was
 * anything to seal.
 */
export async function sealAll(pool: Pool): Promise<boolean> {
  if (!(await isAnyPending(pool.query))) return false
  for (let count = MOST_RECORDS; count === MOST_RECORDS; )
    count = await pool.transactionFrom(LOCK_HEAD, ({ query }, head) => runWork(query, sealPart(asHead(head[0]))))
  return true
}

/** Seals all that is written, inside a transaction that keeps other writers out. */
export function* sealWithin(): Work<void> {
  for (let count = MOST_RECORDS; count === MOST_RECORDS; ) count = yield* sealPart(asHead(yield* first(LOCK_HEAD.sql)))
}

/** Others that seal wait for the end of its transaction. */
const LOCK_HEAD: Statement = { sql: 'SELECT seq, hash FROM @audit_head WHERE one = 1 FOR UPDATE', values: [] }

/** Inside a transaction that holds the lock of the head. Resolves to how many records it sealed. */
function* sealPart(head: AuditHead): Work<number> {
  const pending = yield* all(
    `WITH oldest AS (
       DELETE FROM @audit_pending
       WHERE number IN (SELECT number FROM @audit_pending ORDER BY number LIMIT ${MOST_RECORDS})
       RETURNING number, record)
     SELECT record FROM oldest ORDER BY number`,
  )
  const records = pending.map(row => String(row['record']))
  const rows = sealPending(sha256, head, records)
  const newest = rows.at(-1)
  if (!newest) return 0
  yield send(
    `WITH moved AS (UPDATE @audit_head SET seq = ?4, hash = ?5 WHERE one = 1)
     INSERT INTO @audit (seq, record, hash)
     SELECT * FROM unnest(?1::bigint[], ?2::text[], ?3::text[])`,
    [
      ...[rows.map(({ seq }) => seq), rows.map(({ record }) => record), rows.map(({ hash }) => hash)],
      ...[newest.seq, newest.hash],
    ],
  )
  return rows.length
}

async function isAnyPending(query: Query): Promise<boolean> {
  const { rows } = await query('SELECT EXISTS (SELECT 1 FROM @audit_pending) AS any')
  return rows[0]?.['any'] === true
}

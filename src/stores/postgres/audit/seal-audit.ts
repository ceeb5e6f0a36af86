/**
 * P10: gives pending records their places in the chain, in the order in which they were written. One process at a time
 * does, as it locks the row of the head; of a thread, records are pending in the order of its events.
 */
import type { AuditHead } from '../../../core/audit/audit-chain.ts'
import { readableRecord } from '../../../core/audit/audit-query.ts'
import { sealPending } from '../../../core/audit/seal-records.ts'
import type { ReadRecord } from '../../../core/audit/standing/audit-check.ts'
import { sha256 } from '../../sha256.ts'
import { ifAllowed } from '../database/database-errors.ts'
import type { Pool, Query, Row, Statements } from '../database/pool.ts'
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
    count = await pool.transactionFrom(LOCK_HEAD, ({ query }, head) => sealPart(query, asHead(head)))
  return true
}

/** For readers: as `sealAll`. If nothing may be written, what is sealed is what there is to read. */
export async function sealIfAllowed(pool: Pool): Promise<void> {
  await ifAllowed(() => sealAll(pool))
}

/** Inside a transaction that no other one writes beside: seals all that is written. */
export async function sealWithin(query: Statements): Promise<void> {
  for (let count = MOST_RECORDS; count === MOST_RECORDS; )
    count = await sealPart(query, asHead((await query(LOCK_HEAD.sql)).rows))
}

/** Others that seal wait for the end of its transaction. */
const LOCK_HEAD: Statement = { sql: 'SELECT seq, hash FROM @audit_head WHERE one = 1 FOR UPDATE', values: [] }

/** Inside a transaction that holds the lock of the head. Resolves to how many records it sealed. */
async function sealPart(query: Statements, head: AuditHead): Promise<number> {
  const pending = await query(
    `WITH oldest AS (
       DELETE FROM @audit_pending
       WHERE number IN (SELECT number FROM @audit_pending ORDER BY number LIMIT ${MOST_RECORDS})
       RETURNING number, record)
     SELECT record FROM oldest ORDER BY number`,
  )
  const rows = sealPending(
    sha256,
    head,
    pending.rows.map(row => String(row['record'])),
  )
  const newest = rows.at(-1)
  if (!newest) return 0
  query.send(
    `WITH moved AS (UPDATE @audit_head SET seq = $4, hash = $5 WHERE one = 1)
     INSERT INTO @audit (seq, record, hash)
     SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])`,
    [
      rows.map(({ seq }) => seq),
      rows.map(({ record }) => record),
      rows.map(({ hash }) => hash),
      newest.seq,
      newest.hash,
    ],
  )
  return rows.length
}

/** The end of what is sealed. */
export async function readHead(query: Query): Promise<AuditHead> {
  return asHead((await query('SELECT seq, hash FROM @audit_head WHERE one = 1')).rows)
}

/** Inside a snapshot: what is not sealed yet, with the places that it will get. A text that is no record is left out. */
export async function readPending(query: Query, head: AuditHead): Promise<ReadRecord[]> {
  const { rows } = await query('SELECT record FROM @audit_pending ORDER BY number')
  return rows.flatMap((row, n) => {
    const record = readableRecord({ record: String(row['record']) })
    return record ? [{ seq: head.seq + n + 1, record }] : []
  })
}

async function isAnyPending(query: Query): Promise<boolean> {
  const { rows } = await query('SELECT EXISTS (SELECT 1 FROM @audit_pending) AS any')
  return rows[0]?.['any'] === true
}

function asHead([row]: readonly Row[]): AuditHead {
  return { seq: Number(row?.['seq']), hash: String(row?.['hash']) }
}

import { readableRecord } from '../../../core/audit/audit-query.ts'
import type { ReadRecord } from '../../../core/audit/standing/audit-check.ts'
import { differingGrant } from '../../../core/audit/standing/grants-on-record.ts'
import type { Grant } from '../../../core/hold/grant.ts'
import { sha256 } from '../../sha256.ts'
import { readHead, readPending } from '../audit/seal-audit.ts'
import type { Pool, Query } from '../database/pool.ts'
import { findGrant } from '../tables/grant-table.ts'
import { findHold } from '../tables/hold-table.ts'

/** Clocks are set back now and then. */
const SLACK_MS = 24 * 3600 * 1000

/** P10: the field of a grant's row that is not as its records say. It reads the log from the day on when it was given. */
export function grantFault(pool: Pool, id: string): Promise<string | null> {
  return pool.snapshot(async ({ query }) => {
    const row = await findGrant(query, id)
    if (row === null || row.unreadable) return 'content'
    const given = (await findHold(query, row.hold_id))?.decision?.grant ?? null
    const digest = (text: string) => `sha256:${sha256(text)}`
    return differingGrant(row, { records: await recordsNaming(query, row), given, digest })
  })
}

/** Those that are sealed, then those that are pending. */
async function recordsNaming(query: Query, { id, granted_at }: Grant): Promise<ReadRecord[]> {
  const head = await readHead(query)
  const after = await lastBefore(query, Date.parse(granted_at) - SLACK_MS, head.seq)
  const { rows } = await query(
    'SELECT seq, record FROM @audit WHERE seq > $1 AND strpos(record, $2) > 0 ORDER BY seq',
    [after, id],
  )
  const sealed = rows.flatMap(row => {
    const record = readableRecord({ record: String(row['record']) })
    return record ? [{ seq: Number(row['seq']), record }] : []
  })
  return [...sealed, ...(await readPending(query, head))]
}

/** By halves, as the log has no index over time. */
async function lastBefore(query: Query, time: number, newest: number): Promise<number> {
  let [low, high] = [0, newest]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const { rows } = await query('SELECT record FROM @audit WHERE seq = $1', [middle])
    const record = rows[0] ? readableRecord({ record: String(rows[0]['record']) }) : null
    if (record && Date.parse(record.at) < time) low = middle
    else high = middle - 1
  }
  return low
}

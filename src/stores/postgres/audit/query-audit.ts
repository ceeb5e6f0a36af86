import type { AuditRow } from '../../../core/audit/audit-chain.ts'
import { matchesAudit } from '../../../core/audit/audit-query.ts'
import type { AuditQuery } from '../../../ports/store/audit.ts'
import type { Pool, Query, Row } from '../database/pool.ts'
import { sealIfAllowed } from './seal-audit.ts'

const PAGE = 500

type Order = NonNullable<AuditQuery['order']>

/** Behind `after`, at most `limit`, oldest first. */
export async function readAudit(query: Query, after: number, limit: number): Promise<AuditRow[]> {
  const page = 'SELECT seq, record, hash FROM @audit WHERE seq > $1 ORDER BY seq LIMIT $2'
  return (await query(page, [after, limit])).rows.map(asRow)
}

/** Before `before`, at most `limit`, newest first. */
async function readAuditBack(query: Query, before: number, limit: number): Promise<AuditRow[]> {
  const page = 'SELECT seq, record, hash FROM @audit WHERE seq < $1 ORDER BY seq DESC LIMIT $2'
  return (await query(page, [before, limit])).rows.map(asRow)
}

function asRow(row: Row): AuditRow {
  return { seq: Number(row['seq']), record: String(row['record']), hash: String(row['hash']) }
}

const READERS: Record<Order, typeof readAudit> = { oldest: readAudit, newest: readAuditBack }
const ENDS: Record<Order, number> = { oldest: 0, newest: Number.MAX_SAFE_INTEGER }

/** Without an index over what records say it is read from one end, page by page. */
export async function queryAudit(pool: Pool, asked: AuditQuery): Promise<AuditRow[]> {
  const { limit = 1_000, order = 'oldest', after = ENDS[order], ...filter } = asked
  await sealIfAllowed(pool)
  const read = READERS[order]
  const size = Object.keys(filter).length === 0 ? Math.min(PAGE, limit) : PAGE
  const found: AuditRow[] = []
  for (let seq = after, isMore = true; isMore && found.length < limit; ) {
    const page = await read(pool.query, seq, size)
    found.push(...page.filter(row => matchesAudit(row, filter)))
    seq = page.at(-1)?.seq ?? seq
    isMore = page.length === size
  }
  return found.slice(0, limit)
}

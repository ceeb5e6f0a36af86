import { setImmediate } from 'node:timers/promises'
import type { AuditRow } from '../../../core/audit/audit-chain.ts'
import { matchesAudit } from '../../../core/audit/audit-query.ts'
import type { AuditQuery } from '../../../ports/store/audit.ts'
import type { Database } from '../database/database.ts'
import { readAudit, readAuditBack } from '../tables/audit-table.ts'

const PAGE = 500

type Order = NonNullable<AuditQuery['order']>

const READERS: Record<Order, typeof readAudit> = { oldest: readAudit, newest: readAuditBack }
const ENDS: Record<Order, number> = { oldest: 0, newest: Number.MAX_SAFE_INTEGER }

/** Without an index it is read from one end, page by page, so that other work of the process goes on meanwhile. */
export async function queryAudit(database: Database, query: AuditQuery): Promise<AuditRow[]> {
  const { limit = 1_000, order = 'oldest', after = ENDS[order], ...filter } = query
  const read = READERS[order]
  const size = Object.keys(filter).length === 0 ? Math.min(PAGE, limit) : PAGE
  const found: AuditRow[] = []
  for (let seq = after, isMore = true; isMore && found.length < limit; ) {
    const page = await database.read(() => read(database, seq, size))
    found.push(...page.filter(row => matchesAudit(row, filter)))
    seq = page.at(-1)?.seq ?? seq
    isMore = page.length === size
    if (isMore) await setImmediate()
  }
  return found.slice(0, limit)
}

import { setImmediate } from 'node:timers/promises'
import type { AuditRow } from '../../../core/audit/audit-chain.ts'
import { matchesAudit } from '../../../core/audit/audit-query.ts'
import type { AuditQuery } from '../../../ports/store/audit.ts'
import type { SqlDriver } from '../driver/driver.ts'
import { readAudit, readAuditBack } from './audit-rows.ts'
import { sealIfAllowed } from './seal-if-allowed.ts'

const PAGE = 500

type Order = NonNullable<AuditQuery['order']>

const READERS: Record<Order, typeof readAudit> = { oldest: readAudit, newest: readAuditBack }
const ENDS: Record<Order, number> = { oldest: 0, newest: Number.MAX_SAFE_INTEGER }

/** Reads the log page by page from one end, as it has no index. The process does other work in between. */
export async function queryAudit(driver: SqlDriver, query: AuditQuery): Promise<AuditRow[]> {
  const { limit = 1_000, order = 'oldest', after = ENDS[order], ...filter } = query
  await sealIfAllowed(driver)
  const read = READERS[order]
  const size = Object.keys(filter).length === 0 ? Math.min(PAGE, limit) : PAGE
  const found: AuditRow[] = []
  for (let seq = after, isMore = true; isMore && found.length < limit; ) {
    const page = await driver.read(() => read(seq, size))
    found.push(...page.filter(row => matchesAudit(row, filter)))
    seq = page.at(-1)?.seq ?? seq
    isMore = page.length === size
    if (isMore) await setImmediate()
  }
  return found.slice(0, limit)
}

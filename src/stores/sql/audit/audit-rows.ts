import { type AuditHead, type AuditRow, EMPTY_CHAIN } from '../../../core/audit/audit-chain.ts'
import type { Dialect } from '../driver/dialect.ts'
import { all, first, type Row, type Work } from '../driver/work.ts'

/** The newest record that has its place; the empty chain if there is none. */
export function* readHead({ head }: Dialect): Work<AuditHead> {
  return asHead(yield* first(head))
}

export function asHead(row: Row | undefined): AuditHead {
  return row ? { seq: Number(row['seq']), hash: String(row['hash']) } : EMPTY_CHAIN
}

/** Reads at most `limit` records after `after`, oldest first. */
export function* readAudit(after: number, limit: number): Work<AuditRow[]> {
  return (yield* all('SELECT seq, record, hash FROM @audit WHERE seq > ? ORDER BY seq LIMIT ?', [after, limit])).map(
    asRow,
  )
}

/** Reads at most `limit` records before `before`, newest first. */
export function* readAuditBack(before: number, limit: number): Work<AuditRow[]> {
  const page = 'SELECT seq, record, hash FROM @audit WHERE seq < ? ORDER BY seq DESC LIMIT ?'
  return (yield* all(page, [before, limit])).map(asRow)
}

function asRow(row: Row): AuditRow {
  return { seq: Number(row['seq']), record: String(row['record']), hash: String(row['hash']) }
}

import type { AuditKind, AuditRecord } from './audit.ts'
import { type AuditRow, readRecord } from './audit-chain.ts'
import { DECISIONS } from './tell-record.ts'

/** Chooses records of an audit log; a missing field matches all. */
export interface AuditFilter {
  readonly run_id?: string
  readonly thread_id?: string
  readonly hold_id?: string
  readonly actor?: string
  readonly kind?: AuditKind
  /** Only decisions, of people and of deadlines. */
  readonly decisions?: boolean
  /** ISO times; `since` included, `until` not. */
  readonly since?: string
  readonly until?: string
}

const SAME: readonly (keyof AuditFilter & keyof AuditRecord)[] = ['run_id', 'thread_id', 'hold_id', 'actor', 'kind']

/**
 * True if the query asks for this row. An unreadable row matches only a query for all rows, so none is left out
 * silently.
 */
export function matchesAudit(row: AuditRow, filter: AuditFilter): boolean {
  if (Object.values(filter).every(value => value === undefined)) return true
  const record = readableRecord(row)
  return record !== null && isAskedFor(record, filter)
}

/** `null` if the record was made unreadable. */
export function readableRecord({ record }: Pick<AuditRow, 'record'>): AuditRecord | null {
  try {
    return readRecord(record)
  } catch {
    return null
  }
}

function isAskedFor(record: AuditRecord, filter: AuditFilter): boolean {
  const { since, until } = filter
  const at = Date.parse(record.at)
  return (
    SAME.every(key => filter[key] === undefined || filter[key] === record[key]) &&
    (filter.decisions !== true || DECISIONS.has(record.kind)) &&
    (since === undefined || at >= Date.parse(since)) &&
    (until === undefined || at < Date.parse(until))
  )
}

import type { AuditHead } from '../../../core/audit/audit-chain.ts'
import { readableRecord } from '../../../core/audit/audit-query.ts'
import type { ReadRecord } from '../../../core/audit/standing/audit-check.ts'
import { differingGrant } from '../../../core/audit/standing/grants-on-record.ts'
import type { Grant } from '../../../core/hold/grant.ts'
import { sha256 } from '../../sha256.ts'
import type { Dialect } from '../driver/dialect.ts'
import { all, first, type Work } from '../driver/work.ts'
import { findGrant } from '../tables/grant-table.ts'
import { findHold } from '../tables/hold-table.ts'
import { readHead } from './audit-rows.ts'

/** Clocks are set back now and then. */
const SLACK_MS = 24 * 3600 * 1000

/**
 * Inside a snapshot. P10: the field of a grant's row that is not as its records say. It reads the log from the day on when
 * the grant was given.
 */
export function* grantFault(dialect: Dialect, id: string): Work<string | null> {
  const row = yield* findGrant(id)
  if (row === null || row.unreadable) return 'content'
  const given = (yield* findHold(row.hold_id))?.decision?.grant ?? null
  const digest = (text: string) => `sha256:${sha256(text)}`
  return differingGrant(row, { records: yield* recordsNaming(dialect, row), given, digest })
}

/** Finds records with a place in the log first, then pending ones. */
function* recordsNaming(dialect: Dialect, { id, granted_at }: Grant): Work<ReadRecord[]> {
  const head = yield* readHead(dialect)
  const after = yield* lastBefore(Date.parse(granted_at) - SLACK_MS, head.seq)
  const named = 'SELECT seq, record FROM @audit WHERE seq > ? AND strpos(record, ?) > 0 ORDER BY seq'
  const rows = yield* all(named, [after, id])
  const placed = rows.flatMap(row => readRecord(Number(row['seq']), row['record']))
  return [...placed, ...(yield* readPending(dialect, head))]
}

/** Inside a snapshot: records without a place yet, with the places that they will get. A text that is no record is left out. */
export function* readPending({ pending }: Dialect, head: AuditHead): Work<ReadRecord[]> {
  if (pending === null) return []
  return (yield* all(pending)).flatMap((row, n) => readRecord(head.seq + n + 1, row['record']))
}

function readRecord(seq: number, text: unknown): ReadRecord[] {
  const record = readableRecord({ record: String(text) })
  return record ? [{ seq, record }] : []
}

/** By halves, as the log has no index over time. */
function* lastBefore(time: number, newest: number): Work<number> {
  let [low, high] = [0, newest]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const row = yield* first('SELECT record FROM @audit WHERE seq = ?', [middle])
    const record = row ? readableRecord({ record: String(row['record']) }) : null
    if (record && Date.parse(record.at) < time) low = middle
    else high = middle - 1
  }
  return low
}

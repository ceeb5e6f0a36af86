import { readableRecord } from '../../../core/audit/audit-query.ts'
import type { ReadRecord } from '../../../core/audit/standing/audit-check.ts'
import { differingGrant } from '../../../core/audit/standing/grants-on-record.ts'
import type { Grant } from '../../../core/hold/grant.ts'
import { sha256 } from '../../sha256.ts'
import type { Database } from '../database/database.ts'
import { newestHead } from '../tables/audit-table.ts'
import { findGrant } from '../tables/grant-table.ts'
import { findHold } from '../tables/hold-table.ts'

/** Clocks are set back now and then. */
const SLACK_MS = 24 * 3600 * 1000

/** P10: the field of a grant's row that is not as its records say. It reads the log from the day on when it was given. */
export function grantFault(database: Database, id: string): Promise<string | null> {
  return database.snapshot(() => {
    const row = findGrant(database, id)
    if (row === null || row.unreadable) return 'content'
    const given = findHold(database, row.hold_id)?.decision?.grant ?? null
    const digest = (text: string) => `sha256:${sha256(text)}`
    return differingGrant(row, { records: recordsNaming(database, row), given, digest })
  })
}

function* recordsNaming(database: Database, { id, granted_at }: Grant): Iterable<ReadRecord> {
  const after = lastBefore(database, Date.parse(granted_at) - SLACK_MS)
  const rows = database
    .statement('SELECT seq, record FROM audit WHERE seq > ? AND instr(record, ?) > 0 ORDER BY seq')
    .all(after, id)
  for (const row of rows) {
    const record = readableRecord({ record: String(row['record']) })
    if (record) yield { seq: Number(row['seq']), record }
  }
}

/** By halves, as the log has no index over time. */
function lastBefore(database: Database, time: number): number {
  const at = database.statement(
    `SELECT json_extract(record, '$.at') AS at FROM audit WHERE seq = ? AND json_valid(record)`,
  )
  let [low, high] = [0, newestHead(database).seq]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (Date.parse(String(at.get(middle)?.['at'])) < time) low = middle
    else high = middle - 1
  }
  return low
}

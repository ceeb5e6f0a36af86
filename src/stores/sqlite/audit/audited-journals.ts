import { RECORDED_KINDS } from '../../../core/audit/audit.ts'
import type { StoredEvent } from '../../../core/audit/event-on-record.ts'
import { storedEventIn } from '../../rows/event-row.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import type { Database } from '../database/database.ts'

const PLACE = 't.id AS thread_id, t.audited_after, t.runs_audited_after, e.place, e.at, e.run_id, e.kind'
const FIELDS = `${PLACE}, e.data`
/** Of an event that is not on record, nothing but whether it can be read. */
const RECORDED = RECORDED_KINDS.map(kind => `'${kind}'`).join(', ')
const CHECKED = `${PLACE}, CASE WHEN e.kind IN (${RECORDED}) OR NOT json_valid(e.data) THEN e.data ELSE '{}' END AS data`

export function findStoredEvent(database: Database, threadId: string, seq: number): StoredEvent | null {
  const row = database
    .statement(`SELECT ${FIELDS} FROM threads t JOIN events e ON e.place = t.number * ${SEQ_SPAN} + ? WHERE t.id = ?`)
    .get(seq, threadId)
  return row ? asStored(row) : null
}

/** Whether the journal has, behind the place at which it opened, an event by which this hold ended. */
export function hasEndOf(database: Database, holdId: string, place: number): boolean {
  const row = database
    .statement(
      `SELECT 1 FROM events WHERE place > ? AND place < ? AND kind IN ('hold.decided', 'hold.expired', 'hold.withdrawn')
         AND CASE WHEN json_valid(data) THEN json_extract(data, '$.hold_id') END = ? ORDER BY place LIMIT 1`,
    )
    .get(place, (Math.floor(place / SEQ_SPAN) + 1) * SEQ_SPAN, holdId)
  return row !== undefined
}

/** Of all threads, behind the place `after`. */
export function listStoredEvents(
  database: Database,
  { after, limit }: { readonly after: number; readonly limit: number },
): StoredEvent[] {
  return database
    .statement(
      `SELECT ${CHECKED} FROM events e JOIN threads t ON t.number = e.place / ${SEQ_SPAN}
       WHERE e.place > ? ORDER BY e.place LIMIT ?`,
    )
    .all(after, limit)
    .map(asStored)
}

function asStored(row: Readonly<Record<string, unknown>>): StoredEvent {
  const place = Number(row['place'])
  const text = String(row['data'])
  const event = storedEventIn(row, place % SEQ_SPAN)
  const [audited_after, runs_audited_after] = [Number(row['audited_after']), Number(row['runs_audited_after'])]
  return { place, event, text, audited_after, runs_audited_after }
}

import type { StoredEvent } from '../../../core/audit/event-on-record.ts'
import type { EventKind, JournalEvent } from '../../../core/journal/event.ts'
import type { Database } from '../database/database.ts'
import { SEQ_SPAN } from '../database/schema/schema.ts'

const FIELDS = 't.id AS thread_id, t.audited_after, t.runs_audited_after, e.place, e.at, e.run_id, e.kind, e.data'

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
  { after, kinds, limit }: { after: number; kinds: readonly EventKind[]; limit: number },
): StoredEvent[] {
  return database
    .statement(
      `SELECT ${FIELDS} FROM events e JOIN threads t ON t.number = e.place / ${SEQ_SPAN}
       WHERE e.place > ? AND e.kind IN (${kinds.map(kind => `'${kind}'`).join(', ')}) ORDER BY e.place LIMIT ?`,
    )
    .all(after, limit)
    .map(asStored)
}

function asStored(row: Readonly<Record<string, unknown>>): StoredEvent {
  const place = Number(row['place'])
  const text = String(row['data'])
  const event = {
    seq: place % SEQ_SPAN,
    at: new Date(Number(row['at'])).toISOString(),
    thread_id: String(row['thread_id']),
    run_id: String(row['run_id']),
    kind: String(row['kind']),
    data: dataIn(text),
  } as unknown as JournalEvent
  const [audited_after, runs_audited_after] = [Number(row['audited_after']), Number(row['runs_audited_after'])]
  return { place, event, text, audited_after, runs_audited_after }
}

function dataIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

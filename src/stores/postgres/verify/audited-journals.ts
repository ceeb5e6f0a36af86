/** The rows that records follow from, read for many records at once. */

import type { StoredEvent } from '../../../core/audit/event-on-record.ts'
import type { ReadRecord, RecordedRows } from '../../../core/audit/standing/audit-check.ts'
import { holdNamedBy } from '../../../core/audit/standing/hold-on-record.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { readableData, storedEventIn } from '../../rows/event-row.ts'
import { HOLD_COLUMNS, holdIn } from '../../rows/hold-row.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import type { Query, Row } from '../database/pool.ts'

const FIELDS =
  't.id AS thread_id, t.number, t.audited_after, t.runs_audited_after, e.seq, e.at, e.run_id, e.kind, e.data'

/** An event of a thread in the order of all events. */
export interface EventPlace {
  readonly thread: number
  readonly seq: number
}

export const FIRST_PLACE: EventPlace = { thread: 0, seq: 0 }

export function eventPlace({ place }: StoredEvent): EventPlace {
  return { thread: Math.floor(place / SEQ_SPAN), seq: place % SEQ_SPAN }
}

/** Of all threads, behind `after`, in the order of threads and of their events. */
export async function listStoredEvents(
  query: Query,
  { after, limit }: { readonly after: EventPlace; readonly limit: number },
): Promise<StoredEvent[]> {
  const { rows } = await query(
    `SELECT ${FIELDS} FROM @events e JOIN @threads t ON t.number = e.thread
     WHERE (e.thread, e.seq) > ($1::bigint, $2::integer) ORDER BY e.thread, e.seq LIMIT $3`,
    [after.thread, after.seq, limit],
  )
  return rows.map(asStored)
}

interface StoredHold {
  readonly hold: Hold
  readonly wakesAt: number | null
}

/** For each of these records, the rows that it follows from. */
export async function readRecordedRows(query: Query, records: readonly ReadRecord[]): Promise<RecordedRows[]> {
  const events = await readEventsOf(query, records)
  const stored = records.map(read => events.get(placeText(read)) ?? null)
  const ids = stored.flatMap(event => (event && holdNamedBy(event.event)) ?? [])
  const holds = await readHolds(query, ids)
  const ended = await readEnded(query, stored, holds)
  return stored.map(event => {
    const id = event && holdNamedBy(event.event)
    const found = id ? holds.get(id) : undefined
    if (!event || !id || !found) return { stored: event, hold: null }
    const hasEnd = !mustHaveEnd(event, found.hold) || ended.has(id)
    return { stored: event, hold: found.hold, wakesAt: found.wakesAt, hasEnd }
  })
}

function placeText({ record: { thread_id, event_seq } }: ReadRecord): string {
  return `${event_seq} ${thread_id}`
}

async function readEventsOf(query: Query, records: readonly ReadRecord[]): Promise<ReadonlyMap<string, StoredEvent>> {
  const named = records.flatMap(({ record: { thread_id, event_seq } }) =>
    thread_id === null || event_seq === null ? [] : [{ thread_id, event_seq }],
  )
  const { rows } = await query(
    `SELECT ${FIELDS} FROM unnest($1::text[], $2::integer[]) AS r (thread_id, seq)
     JOIN @threads t ON t.id = r.thread_id JOIN @events e ON e.thread = t.number AND e.seq = r.seq`,
    [named.map(({ thread_id }) => thread_id), named.map(({ event_seq }) => event_seq)],
  )
  return new Map(rows.map(row => [`${row['seq']} ${row['thread_id']}`, asStored(row)]))
}

async function readHolds(query: Query, ids: readonly string[]): Promise<ReadonlyMap<string, StoredHold>> {
  if (ids.length === 0) return new Map()
  const { rows } = await query(`SELECT ${HOLD_COLUMNS}, wake_at FROM @holds WHERE id = ANY($1::text[])`, [ids])
  return new Map(
    rows.map(row => [
      String(row['id']),
      { hold: holdIn(row), wakesAt: row['wake_at'] === null ? null : Number(row['wake_at']) },
    ]),
  )
}

function mustHaveEnd({ event }: StoredEvent, hold: Hold): boolean {
  return event.kind === 'hold.opened' && hold.status !== 'open'
}

/** The holds of these events that have, behind the place at which they opened, an event by which they ended. */
async function readEnded(
  query: Query,
  stored: readonly (StoredEvent | null)[],
  holds: ReadonlyMap<string, StoredHold>,
): Promise<ReadonlySet<string>> {
  const closed = stored.flatMap(event => {
    const found = event && holds.get(holdNamedBy(event.event) ?? '')
    return event && found && mustHaveEnd(event, found.hold) ? [{ ...eventPlace(event), id: found.hold.id }] : []
  })
  if (closed.length === 0) return new Set()
  const { rows } = await query(
    `SELECT c.id, e.data FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[]) AS c (thread, seq, id, named)
     JOIN @events e ON e.thread = c.thread AND e.seq > c.seq
       AND e.kind IN ('hold.decided', 'hold.expired', 'hold.withdrawn') AND strpos(e.data, c.named) > 0`,
    [
      closed.map(({ thread }) => thread),
      closed.map(({ seq }) => seq),
      closed.map(({ id }) => id),
      closed.map(({ id }) => `"hold_id":${JSON.stringify(id)}`),
    ],
  )
  return new Set(rows.flatMap(row => (namesHold(String(row['data']), row['id']) ? [String(row['id'])] : [])))
}

function namesHold(data: string, id: unknown): boolean {
  return (readableData(data) as { readonly hold_id?: unknown } | null)?.hold_id === id
}

function asStored(row: Row): StoredEvent {
  const seq = Number(row['seq'])
  const text = String(row['data'])
  const event = storedEventIn(row, seq)
  const [audited_after, runs_audited_after] = [Number(row['audited_after']), Number(row['runs_audited_after'])]
  return { place: Number(row['number']) * SEQ_SPAN + seq, event, text, audited_after, runs_audited_after }
}

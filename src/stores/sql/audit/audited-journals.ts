/** The rows that records follow from, read for many records at once. */
import type { StoredEvent } from '../../../core/audit/event-on-record.ts'
import type { ReadRecord, RecordedRows } from '../../../core/audit/standing/audit-check.ts'
import { holdNamedBy } from '../../../core/audit/standing/hold-on-record.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { readableData, storedEventIn } from '../../rows/event-row.ts'
import { HOLD_COLUMNS, holdIn } from '../../rows/hold-row.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import type { Dialect } from '../driver/dialect.ts'
import { all, type Row, type Work } from '../driver/work.ts'

const FIELDS = 't.id AS thread_id, t.number, t.audited_after, t.runs_audited_after, e.at, e.run_id, e.kind'

/** An event of a thread in the order of all events. */
export interface EventPlace {
  readonly thread: number
  readonly seq: number
}

export const FIRST_PLACE: EventPlace = { thread: 0, seq: 0 }

export function eventPlace({ place }: StoredEvent): EventPlace {
  return { thread: Math.floor(place / SEQ_SPAN), seq: place % SEQ_SPAN }
}

/** Lists events of all threads after `place`, by thread and then by `seq`. */
export function* listStoredEvents(
  { events: { thread, seq, after, oldestFirst, checkedData } }: Dialect,
  place: EventPlace,
  limit: number,
): Work<StoredEvent[]> {
  const rows = yield* all(
    `SELECT ${FIELDS}, ${seq} AS seq, ${checkedData} AS data FROM @events e JOIN @threads t ON t.number = ${thread}
     WHERE ${after} ORDER BY ${oldestFirst} LIMIT ?3`,
    [place.thread, place.seq, limit],
  )
  return rows.map(asStored)
}

interface StoredHold {
  readonly hold: Hold
  readonly wakesAt: number | null
}

/** Reads, for each of these records, the rows that it follows from. */
export function* readRecordedRows(dialect: Dialect, records: readonly ReadRecord[]): Work<RecordedRows[]> {
  const events = yield* readEventsOf(dialect, records)
  const stored = records.map(read => events.get(placeText(read)) ?? null)
  const holds = yield* readHolds(stored.flatMap(event => (event && holdNamedBy(event.event)) ?? []))
  const ended = yield* readEnded(dialect, stored, holds)
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

function* readEventsOf(
  { events: { at, seq }, list }: Dialect,
  records: readonly ReadRecord[],
): Work<ReadonlyMap<string, StoredEvent>> {
  const named = records.flatMap(({ record: { thread_id, event_seq } }) =>
    thread_id === null || event_seq === null ? [] : [{ of_thread: thread_id, at_seq: event_seq }],
  )
  if (named.length === 0) return new Map()
  const rows = yield* all(
    `SELECT ${FIELDS}, ${seq} AS seq, e.data FROM ${list({ of_thread: 'text', at_seq: 'integer' })} r
     JOIN @threads t ON t.id = r.of_thread JOIN @events e ON ${at('t.number', 'r.at_seq')}`,
    [JSON.stringify(named)],
  )
  return new Map(rows.map(row => [`${row['seq']} ${row['thread_id']}`, asStored(row)]))
}

function* readHolds(ids: readonly string[]): Work<ReadonlyMap<string, StoredHold>> {
  if (ids.length === 0) return new Map()
  const rows = yield* all(`SELECT ${HOLD_COLUMNS}, wake_at FROM @holds WHERE id = ANY(?::text[])`, [ids])
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

/** The holds of these events that have an event of their end after that of their opening. */
function* readEnded(
  { events: { behind }, list }: Dialect,
  stored: readonly (StoredEvent | null)[],
  holds: ReadonlyMap<string, StoredHold>,
): Work<ReadonlySet<string>> {
  const closed = stored.flatMap(event => {
    const found = event && holds.get(holdNamedBy(event.event) ?? '')
    if (!event || !found || !mustHaveEnd(event, found.hold)) return []
    const { thread, seq } = eventPlace(event)
    const { id } = found.hold
    return [{ of_thread: thread, from_seq: seq, id, named: `"hold_id":${JSON.stringify(id)}` }]
  })
  if (closed.length === 0) return new Set()
  const rows = yield* all(
    `SELECT c.id, e.data FROM ${list({ of_thread: 'bigint', from_seq: 'integer', id: 'text', named: 'text' })} c
     JOIN @events e ON ${behind('c.of_thread', 'c.from_seq')}
       AND e.kind IN ('hold.decided', 'hold.expired', 'hold.withdrawn') AND strpos(e.data, c.named) > 0`,
    [JSON.stringify(closed)],
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

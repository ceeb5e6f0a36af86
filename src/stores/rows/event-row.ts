import { CorruptJournalError } from '../../core/errors.ts'
import type { EventData, JournalEvent } from '../../core/journal/event.ts'
import type { Json } from '../../core/text/json.ts'
import { parsed, time } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'

/** The data of a journal's event. A journal with a hole is none. @throws CorruptJournalError */
export function eventData(text: unknown, threadId: string, seq: number): Json {
  const data = parsed(text)
  if (data === undefined) throw new CorruptJournalError(threadId, `event ${seq} is not JSON`)
  return data
}

/** Returns `null` if the text was damaged: a reader of many journals goes on with the next one. */
export function readableData(text: unknown): Json {
  return parsed(text) ?? null
}

/** When an event was written; a damaged time hides no event. */
export function eventTime(at: unknown): string {
  return decodeRow({ at: time }, { at }).at
}

/** The event by which a hold opened, of a row that names the hold; `null` for another event, or a damaged one. */
export function openedData(row: Row, holdId: string): EventData['hold.opened'] | null {
  const data = readableData(row['data']) as Partial<EventData['hold.opened']> | null
  return data?.hold_id === holdId ? (data as EventData['hold.opened']) : null
}

/** Reads an event for `verify`, with `data: null` if the text is not JSON. */
export function storedEventIn(row: Row, seq: number): JournalEvent {
  return {
    seq,
    at: eventTime(row['at']),
    thread_id: String(row['thread_id']),
    run_id: String(row['run_id']),
    kind: String(row['kind']),
    data: readableData(row['data']),
  } as unknown as JournalEvent
}

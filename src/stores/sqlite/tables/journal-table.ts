import type { JournalEvent, NewEvent } from '../../../core/journal/event.ts'
import { isoTime } from '../../../core/text/iso-time.ts'
import { eventData, eventTime } from '../../rows/event-row.ts'
import { refuseFull, SEQ_SPAN } from '../../thread-full.ts'
import type { Database } from '../database/database.ts'
import { keepInput } from './input-table.ts'

export interface ThreadPlace {
  readonly id: string
  readonly number: number
}

/** Inside a transaction. */
export function lastSeq(database: Database, thread: ThreadPlace): number {
  const first = thread.number * SEQ_SPAN
  const row = database
    .statement('SELECT place FROM events WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1')
    .get(first, first + SEQ_SPAN - 1)
  return row ? Number(row['place']) - first : 0
}

/** The newest `seq` of each thread that is there. */
export function newestSeqs(database: Database, threadIds: readonly string[]): Map<string, number> {
  const rows = database
    .statement(
      `SELECT id, (SELECT place FROM events WHERE place < (number + 1) * ${SEQ_SPAN} ORDER BY place DESC LIMIT 1)
         - number * ${SEQ_SPAN} AS seq
       FROM threads WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(threadIds))
  return new Map(rows.flatMap(({ id, seq }) => (Number(seq) > 0 ? [[String(id), Number(seq)]] : [])))
}

/** Inside a transaction: writes `events` behind `after` and returns them in their place. @throws as `keepInput` */
export function insertEvents(
  database: Database,
  thread: ThreadPlace,
  { after, at, events }: { after: number; at: number; events: readonly NewEvent[] },
): JournalEvent[] {
  refuseFull(thread.id, after + events.length)
  const insert = database.statement('INSERT INTO events (place, at, run_id, kind, data) VALUES (?, ?, ?, ?, ?)')
  const time = isoTime(at)
  return events.map((event, index) => {
    const seq = after + index + 1
    keepInput(database, thread, { ...event, seq })
    insert.run(thread.number * SEQ_SPAN + seq, at, event.run_id, event.kind, JSON.stringify(event.data))
    return {
      seq,
      at: time,
      thread_id: thread.id,
      run_id: event.run_id,
      kind: event.kind,
      data: event.data,
    } as JournalEvent
  })
}

/** At most `limit` events behind `after`; with -1 all of them. */
export function readEvents(database: Database, thread: ThreadPlace, after: number, limit = -1): JournalEvent[] {
  const first = thread.number * SEQ_SPAN
  return database
    .statement('SELECT place, at, run_id, kind, data FROM events WHERE place > ? AND place < ? ORDER BY place LIMIT ?')
    .all(first + after, first + SEQ_SPAN, limit)
    .map(row => {
      const seq = Number(row['place']) - first
      return {
        seq,
        at: eventTime(row['at']),
        thread_id: thread.id,
        run_id: String(row['run_id']),
        kind: String(row['kind']),
        data: eventData(row['data'], thread.id, seq),
      } as unknown as JournalEvent
    })
}

export function findThread(database: Database, id: string): ThreadPlace | null {
  const row = database.statement('SELECT number FROM threads WHERE id = ?').get(id)
  return row ? { id, number: Number(row['number']) } : null
}

/** Inside a transaction. Its first `copied` events happened in another thread, and are on record there. */
export function insertThread(
  database: Database,
  id: string,
  { at, copied }: { readonly at: number; readonly copied: number },
): ThreadPlace {
  const { lastInsertRowid } = database
    .statement('INSERT INTO threads (id, created_at, audited_after) VALUES (?, ?, ?)')
    .run(id, at, copied)
  return { id, number: Number(lastInsertRowid) }
}

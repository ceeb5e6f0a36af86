import type { JournalEvent, NewEvent } from '../../../core/journal/event.ts'
import { inputIdOf, refuseDuplicateInput } from '../../../core/journal/input.ts'
import { isoTime } from '../../../core/text/iso-time.ts'
import { eventData, eventTime } from '../../rows/event-row.ts'
import { refuseFull } from '../../thread-full.ts'
import { type Dialect, textBy } from '../driver/dialect.ts'
import type { Asked } from '../driver/driver.ts'
import { all, first, type Row, run, type Statement, send, sendEach, type Work } from '../driver/work.ts'

/** A thread whose row the transaction has locked. */
export interface LockedThread {
  readonly id: string
  readonly number: number
  /** The `seq` of its newest event; 0 if it has none. */
  readonly newest: number
}

/** Inside a transaction, before anything else of the thread is read: writers of one thread come one after the other. */
export function* lockThread({ newest }: Dialect, id: string): Work<LockedThread | null> {
  const row = yield* first(`SELECT id, number, ${newest} AS newest FROM @threads t WHERE id = ? FOR UPDATE`, [id])
  return row ? lockedThread(row) : null
}

/** Locks the thread of a run: a run stays in its thread. */
export function lockOfThread(dialect: Dialect, runId: string): Asked {
  return { sql: LOCK_OF_RUN(dialect), values: [runId] }
}

const LOCK_OF_RUN = textBy(
  ({ newest }) => `SELECT t.id, t.number, ${newest} AS newest FROM @threads t JOIN @runs r ON r.thread = t.number
    WHERE r.id = ? FOR UPDATE OF t`,
)

/** Locks several threads in one order: two transactions that lock the same ones never wait for each other. */
export function* lockThreads({ newest }: Dialect, ids: readonly string[]): Work<LockedThread[]> {
  const lock = `SELECT id, number, ${newest} AS newest FROM @threads t WHERE id = ANY(?::text[])
    ORDER BY number FOR UPDATE`
  return (yield* all(lock, [ids])).map(lockedThread)
}

export function lockedThread(row: Row): LockedThread {
  return { id: String(row['id']), number: Number(row['number']), newest: Math.max(Number(row['newest']), 0) }
}

/** Inside a transaction. Its first `copied` events happened in another thread. `null` if another transaction made it first. */
export function* insertThread(
  id: string,
  { at, copied }: { readonly at: number; readonly copied: number },
): Work<LockedThread | null> {
  const row = yield* first(
    `INSERT INTO @threads (id, created_at, audited_after) VALUES (?, ?, ?)
     ON CONFLICT (id) DO NOTHING RETURNING number`,
    [id, at, copied],
  )
  return row ? { id, number: Number(row['number']), newest: 0 } : null
}

/** Inside a transaction: appends the events, and returns them in their places. @throws RefusedError `duplicate_input` */
export function* insertEvents(
  dialect: Dialect,
  thread: LockedThread,
  { at, events }: { readonly at: number; readonly events: readonly NewEvent[] },
): Work<JournalEvent[]> {
  if (events.length === 0) return []
  const placed = placeEvents(thread, { at, events })
  if (placed.some(event => inputIdOf(event) !== null)) yield* keepInputs(thread, placed)
  yield growBy(dialect, thread, placed)
  return placed
}

/** Inside a transaction: writes the next events of a thread. */
export function growBy(
  dialect: Dialect,
  thread: Pick<LockedThread, 'number'>,
  placed: readonly JournalEvent[],
): readonly Statement[] {
  const inserts = insertPlaced(dialect, thread, placed)
  return dialect.keepsNewest ? [...inserts, ...send(GROW, [placed.length, thread.number])] : inserts
}

const GROW = 'UPDATE @threads SET newest = newest + ? WHERE number = ?'

/** Inside a transaction: events with the places and the times that they have. */
export function insertPlaced(
  dialect: Dialect,
  { number }: Pick<LockedThread, 'number'>,
  placed: readonly JournalEvent[],
): readonly Statement[] {
  return sendEach(
    INSERT(dialect),
    placed.map(({ seq, at, run_id, kind, data }) => [number, seq, Date.parse(at), run_id, kind, JSON.stringify(data)]),
  )
}

const INSERT = textBy(
  ({ events: { key, place } }) =>
    `INSERT INTO @events (${key}, at, run_id, kind, data) VALUES (${place}, ?3, ?4, ?5, ?6)`,
)

/** The events in the places after the newest one. `at` is in milliseconds since 1970. @throws StoreError `thread_full` */
export function placeEvents(
  { id: thread_id, newest }: Pick<LockedThread, 'id' | 'newest'>,
  { at: written, events }: { readonly at: number; readonly events: readonly NewEvent[] },
): JournalEvent[] {
  refuseFull(thread_id, newest + events.length)
  const at = isoTime(written)
  return events.map(
    ({ run_id, kind, data }, index) => ({ seq: newest + index + 1, at, thread_id, run_id, kind, data }) as JournalEvent,
  )
}

/** Inside a transaction. @throws RefusedError `duplicate_input` if the thread has a message with the id of one of these. */
export function* keepInputs({ number }: Pick<LockedThread, 'number'>, events: readonly JournalEvent[]): Work<void> {
  for (const event of events) {
    const inputId = inputIdOf(event)
    if (inputId === null) continue
    const keep = 'INSERT INTO @inputs (thread, input_id, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    if ((yield* run(keep, [number, inputId, event.seq])) > 0) continue
    const known = yield* first('SELECT seq FROM @inputs WHERE thread = ? AND input_id = ?', [number, inputId])
    refuseDuplicateInput(inputId, Number(known?.['seq']))
  }
}

/** Reads at most `limit` events after `after`, oldest first. Empty for an unknown thread. */
export function* readEvents(
  dialect: Dialect,
  threadId: string,
  { after, limit = null }: { readonly after: number; readonly limit?: number | null | undefined },
): Work<JournalEvent[]> {
  return (yield* all(READ(dialect), [threadId, after, limit])).map(row => eventIn(row, threadId))
}

const READ = textBy(
  ({ events: { behind, seq, order } }) => `SELECT ${seq} AS seq, at, run_id, kind, data FROM @events
    WHERE ${behind('(SELECT number FROM @threads WHERE id = ?1)', '?2')} ORDER BY ${order} LIMIT ?3`,
)

function eventIn(row: Row, thread_id: string): JournalEvent {
  const seq = Number(row['seq'])
  return {
    seq,
    at: eventTime(row['at']),
    thread_id,
    run_id: String(row['run_id']),
    kind: String(row['kind']),
    data: eventData(row['data'], thread_id, seq),
  } as unknown as JournalEvent
}

/** The newest `seq` of each thread that is there. */
export function* newestSeqs({ newest }: Dialect, threadIds: readonly string[]): Work<Map<string, number>> {
  const rows = yield* all(`SELECT id, number, ${newest} AS newest FROM @threads t WHERE id = ANY(?::text[])`, [
    threadIds,
  ])
  return new Map(rows.map(lockedThread).flatMap(({ id, newest }) => (newest > 0 ? [[id, newest]] : [])))
}

/** The `seq` of the message that has this id. */
export function* findInput(threadId: string, inputId: string): Work<number | null> {
  const find = 'SELECT seq FROM @inputs WHERE thread = (SELECT number FROM @threads WHERE id = ?) AND input_id = ?'
  const row = yield* first(find, [threadId, inputId])
  return row ? Number(row['seq']) : null
}

import type { JournalEvent, NewEvent } from '../../../core/journal/event.ts'
import { inputIdOf, refuseDuplicateInput } from '../../../core/journal/input.ts'
import { isoTime } from '../../../core/text/iso-time.ts'
import { eventData, eventTime } from '../../rows/event-row.ts'
import { refuseFull } from '../../thread-full.ts'
import type { Query, Row, Statements } from '../database/pool.ts'
import type { Statement } from '../database/statements.ts'

/** A thread whose row the transaction has locked. */
export interface LockedThread {
  readonly id: string
  readonly number: number
  readonly newest: number
}

/** Inside a transaction, before anything else of the thread is read: writers of one thread come one after the other. */
export async function lockThread(query: Query, id: string): Promise<LockedThread | null> {
  const { rows } = await query('SELECT id, number, newest FROM @threads WHERE id = $1 FOR UPDATE', [id])
  return rows.map(lockedThread)[0] ?? null
}

/** As `lockThread`, of the thread of a run: a run stays in its thread. */
export function lockOfThread(runId: string): Statement {
  const sql = `SELECT t.id, t.number, t.newest FROM @threads t JOIN @runs r ON r.thread = t.number WHERE r.id = $1
     FOR UPDATE OF t`
  return { sql, values: [runId] }
}

/** As `lockThread`, of many: in one order, so that two transactions that lock the same ones never wait for each other. */
export async function lockThreads(query: Query, ids: readonly string[]): Promise<LockedThread[]> {
  const { rows } = await query(
    'SELECT id, number, newest FROM @threads WHERE id = ANY($1::text[]) ORDER BY number FOR UPDATE',
    [ids],
  )
  return rows.map(lockedThread)
}

export function lockedThread(row: Row): LockedThread {
  return { id: String(row['id']), number: Number(row['number']), newest: Number(row['newest']) }
}

/** Inside a transaction. Its first `copied` events happened in another thread. `null` if another transaction made it first. */
export async function insertThread(
  query: Query,
  id: string,
  { at, copied }: { readonly at: number; readonly copied: number },
): Promise<LockedThread | null> {
  const { rows } = await query(
    `INSERT INTO @threads (id, created_at, audited_after) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO NOTHING RETURNING number`,
    [id, at, copied],
  )
  const [row] = rows
  return row ? { id, number: Number(row['number']), newest: 0 } : null
}

/** Inside a transaction: writes behind the newest event, and returns the events in their place. @throws RefusedError `duplicate_input` */
export async function insertEvents(
  query: Statements,
  thread: LockedThread,
  { at, events }: { readonly at: number; readonly events: readonly NewEvent[] },
): Promise<JournalEvent[]> {
  if (events.length === 0) return []
  const placed = placeEvents(thread, { at, events })
  for (const event of placed) await keepInput(query, thread, event)
  query.send(
    `WITH grown AS (UPDATE @threads SET newest = newest + $3 WHERE number = $1)
     INSERT INTO @events (thread, seq, at, run_id, kind, data)
     SELECT $1, e.seq, $2, e.run_id, e.kind, e.data
     FROM unnest($4::integer[], $5::text[], $6::text[], $7::text[]) AS e (seq, run_id, kind, data)`,
    [
      thread.number,
      at,
      placed.length,
      placed.map(({ seq }) => seq),
      placed.map(({ run_id }) => run_id),
      placed.map(({ kind }) => kind),
      placed.map(({ data }) => JSON.stringify(data)),
    ],
  )
  return placed
}

/** Events as they stand behind the newest one. `at` is in milliseconds since 1970. @throws StoreError `thread_full` */
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

async function keepInput(query: Query, { number }: LockedThread, event: JournalEvent): Promise<void> {
  const inputId = inputIdOf(event)
  if (inputId === null) return
  const { count } = await query(
    'INSERT INTO @inputs (thread, input_id, seq) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [number, inputId, event.seq],
  )
  if (count > 0) return
  const { rows } = await query('SELECT seq FROM @inputs WHERE thread = $1 AND input_id = $2', [number, inputId])
  refuseDuplicateInput(inputId, Number(rows[0]?.['seq']))
}

/** At most `limit` events behind `after`, oldest first; with `null` all of them. Empty for an unknown thread. */
export async function readEvents(
  query: Query,
  threadId: string,
  { after, limit }: { readonly after: number; readonly limit: number | null },
): Promise<JournalEvent[]> {
  const { rows } = await query(
    `SELECT seq, at, run_id, kind, data FROM @events
     WHERE thread = (SELECT number FROM @threads WHERE id = $1) AND seq > $2 ORDER BY seq LIMIT $3`,
    [threadId, after, limit],
  )
  return rows.map(row => {
    const seq = Number(row['seq'])
    return {
      seq,
      at: eventTime(row['at']),
      thread_id: threadId,
      run_id: String(row['run_id']),
      kind: String(row['kind']),
      data: eventData(row['data'], threadId, seq),
    } as unknown as JournalEvent
  })
}

/** The newest `seq` of each thread that is there. */
export async function newestSeqs(query: Query, threadIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await query('SELECT id, newest FROM @threads WHERE id = ANY($1::text[]) AND newest > 0', [threadIds])
  return new Map(rows.map(row => [String(row['id']), Number(row['newest'])]))
}

/** The `seq` of the message that has this id. */
export async function findInput(query: Query, threadId: string, inputId: string): Promise<number | null> {
  const { rows } = await query(
    'SELECT seq FROM @inputs WHERE thread = (SELECT number FROM @threads WHERE id = $1) AND input_id = $2',
    [threadId, inputId],
  )
  return rows[0] ? Number(rows[0]['seq']) : null
}

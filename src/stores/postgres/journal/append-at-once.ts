/**
 * The usual write of the owner of a lease, in one statement: one round trip, and one commit. P7: it holds the thread and the
 * run, in this order, and writes only if the lease is the one that counts and nothing else was appended meanwhile.
 */

import { pendingText } from '../../../core/audit/seal-records.ts'
import type { JournalEvent, NewEvent } from '../../../core/journal/event.ts'
import { inputIdOf } from '../../../core/journal/input.ts'
import type { Commit } from '../../../ports/store/journal.ts'
import type { Lease } from '../../../ports/store/runs.ts'
import { recordsAlone } from '../audit/audit-records.ts'
import { type Statement, TIME } from '../database/statements.ts'
import { placeEvents } from '../tables/journal-table.ts'

/** One row, with the time of the database, if it was written. */
export interface AtOnce {
  readonly statement: Statement
  readonly events: readonly JournalEvent[]
}

/** `null` for what takes more than events and their records. `at` is in milliseconds since 1970. */
export function appendAtOnce(
  lease: Lease,
  after: number,
  { commit, at }: { commit: Commit; at: number },
): AtOnce | null {
  if (!isEventsAlone(commit)) return null
  const events = placeEvents({ id: lease.thread_id, newest: after }, { at, events: commit.events })
  const records = recordsAlone(events)
  if (records === null) return null
  const values = [
    ...[lease.run_id, lease.fence, lease.owner, after, events.length, at],
    ...[events.map(({ run_id }) => run_id), events.map(({ kind }) => kind)],
    events.map(({ data }) => JSON.stringify(data)),
    records.map(pendingText),
  ]
  return { statement: { sql: APPEND, values }, events }
}

function isEventsAlone({ events, opens = [], run, rest }: Commit): boolean {
  return opens.length === 0 && run === undefined && rest === undefined && events.length > 0 && events.every(isAlone)
}

function isAlone(event: NewEvent): boolean {
  return inputIdOf(event) === null && !(event.kind === 'call.gated' && event.data.grant_id !== null)
}

const APPEND = `
  WITH held AS (
    SELECT t.number FROM @threads t JOIN @runs r ON r.thread = t.number
    WHERE r.id = $1 AND r.fence = $2 AND r.lease_owner = $3 AND t.newest = $4 FOR UPDATE
  ), grown AS (
    UPDATE @threads t SET newest = $4 + $5 FROM held WHERE t.number = held.number
  ), written AS (
    INSERT INTO @events (thread, seq, at, run_id, kind, data)
    SELECT held.number, $4 + e.place, $6, e.run_id, e.kind, e.data
    FROM held, unnest($7::text[], $8::text[], $9::text[]) WITH ORDINALITY AS e (run_id, kind, data, place)
  ), recorded AS (
    INSERT INTO @audit_pending (at, record)
    SELECT $6, r.record FROM held, unnest($10::text[]) WITH ORDINALITY AS r (record, place) ORDER BY r.place
  )
  SELECT ${TIME} FROM held`

/** True if the journal goes on with these events where they were to be: the answer to the write was lost, not the write. */
export function wasWritten({ events }: AtOnce, found: readonly JournalEvent[]): boolean {
  return events.every((event, index) => JSON.stringify(event) === JSON.stringify(found[index]))
}

/**
 * The usual write of the owner of a lease, in one statement: one round trip, and one commit. P7: it holds the thread and the
 * run, in this order, and writes only if the lease is the one that counts and nothing else was appended meanwhile.
 */

import type { SealKey } from '../../../core/audit/record-seal.ts'
import { pendingText } from '../../../core/audit/seal-records.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Commit } from '../../../ports/store/journal.ts'
import type { Lease } from '../../../ports/store/runs.ts'
import { usualAppend } from '../../sql/journal/usual-append.ts'
import { type Statement, TIME } from '../database/statements.ts'

/** An append by one writer. */
export interface AtOnce {
  readonly lease: Lease
  /** The `seq` of the event before it. */
  readonly after: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly events: readonly JournalEvent[]
  /** The data of the events, as it is kept. */
  readonly data: readonly string[]
  /** The texts that go on record. */
  readonly records: readonly string[]
  /** Characters of all texts. */
  readonly size: number
}

/** `null` for what takes more than events and their records. `at` is in milliseconds since 1970. */
export function appendAtOnce(
  lease: Lease,
  after: number,
  { commit, at, sealKey }: { commit: Commit; at: number; sealKey: SealKey | null },
): AtOnce | null {
  const usual = usualAppend({ id: lease.thread_id, newest: after }, { at, commit })
  if (!usual) return null
  const { events } = usual
  const records = usual.records.map(record => pendingText(record, sealKey))
  const data = events.map(({ data }) => JSON.stringify(data))
  const size = [...data, ...records].reduce((sum, { length }) => sum + length, 0)
  return { lease, after, at, events, data, records, size }
}

/** Waits for the thread. Returns one row with the time of the database and `place` 1, if it was written. */
export function statementOfOne({ lease, after, at, events, data, records }: AtOnce): Statement {
  const values = [
    ...[lease.run_id, lease.fence, lease.owner, after, events.length, at],
    ...[events.map(({ run_id }) => run_id), events.map(({ kind }) => kind), data, records],
  ]
  return { sql: ONE, values }
}

const ONE = `
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
  SELECT 1 AS place, ${TIME} FROM held`

/**
 * Several, of a thread each: each is written or not, by itself. One whose thread or run is held by another transaction is
 * not: those beside it need not wait. A row with `place`, counted from 1, for each that was written.
 */
export function statementOfSeveral(appends: readonly AtOnce[]): Statement {
  const events = appends.flatMap(({ events }, index) => events.map(event => ({ ...event, place: index + 1 })))
  const records = appends.flatMap(({ records }, index) => records.map(record => ({ record, place: index + 1 })))
  const values = [
    appends.map(({ lease }) => lease.run_id),
    appends.map(({ lease }) => lease.fence),
    appends.map(({ lease }) => lease.owner),
    appends.map(({ after }) => after),
    appends.map(({ events }) => events.length),
    appends.map(({ at }) => at),
    events.map(({ place }) => place),
    events.map(({ seq }) => seq),
    events.map(({ run_id }) => run_id),
    events.map(({ kind }) => kind),
    appends.flatMap(({ data }) => data),
    records.map(({ place }) => place),
    records.map(({ record }) => record),
  ]
  return { sql: SEVERAL, values }
}

const SEVERAL = `
  WITH held AS (
    SELECT t.number, a.after + a.count AS newest, a.at, a.place
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::integer[], $5::integer[], $6::bigint[])
      WITH ORDINALITY AS a (run_id, fence, owner, after, count, at, place)
    JOIN @runs r ON r.id = a.run_id AND r.fence = a.fence AND r.lease_owner = a.owner
    JOIN @threads t ON t.number = r.thread AND t.newest = a.after FOR UPDATE OF t, r SKIP LOCKED
  ), grown AS (
    UPDATE @threads t SET newest = held.newest FROM held WHERE t.number = held.number
  ), written AS (
    INSERT INTO @events (thread, seq, at, run_id, kind, data)
    SELECT held.number, e.seq, held.at, e.run_id, e.kind, e.data
    FROM held
    JOIN unnest($7::integer[], $8::integer[], $9::text[], $10::text[], $11::text[]) AS e (place, seq, run_id, kind, data)
      ON e.place = held.place
  ), recorded AS (
    INSERT INTO @audit_pending (at, record)
    SELECT held.at, r.record
    FROM held JOIN unnest($12::integer[], $13::text[]) WITH ORDINALITY AS r (place, record, nth) ON r.place = held.place
    ORDER BY r.nth
  )
  SELECT place, ${TIME} FROM held`

/** True if the journal has these events in their places: the answer to the write was lost, not the write. */
export function wasWritten({ events }: AtOnce, found: readonly JournalEvent[]): boolean {
  return events.every((event, index) => JSON.stringify(event) === JSON.stringify(found[index]))
}

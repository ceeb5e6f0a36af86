/** Imports a thread. Keeps: a bundle is imported once; a known part must be what the bundle begins with. */
import type { BundledRun } from '../../../core/bundle/bundle.ts'
import { alreadyImported, conflicts, knownPart, notExported } from '../../../core/bundle/import-refusals.ts'
import { type Grant, grantText } from '../../../core/hold/grant.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { wakeTime } from '../../../core/people/due.ts'
import type { Imported } from '../../../core/run/exported.ts'
import { isoTime } from '../../../core/text/iso-time.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { ThreadImport } from '../../../ports/store/thread-bundles.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { sha256 } from '../../sha256.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import { recordEvents } from '../audit/record-events.ts'
import type { Dialect } from '../driver/dialect.ts'
import type { Transaction } from '../driver/driver.ts'
import { first, run, type Work } from '../driver/work.ts'
import { findExport } from '../tables/exported-threads.ts'
import { findGrant, insertGrant } from '../tables/grant-table.ts'
import { findHold, insertHolds } from '../tables/hold-table.ts'
import {
  insertEvents,
  insertPlaced,
  insertThread,
  keepInputs,
  type LockedThread,
  lockThread,
  readEvents,
} from '../tables/journal-table.ts'
import { findRun, insertRun, listRuns } from '../tables/run-table.ts'

export function* importThread(transaction: Transaction, request: ThreadImport): Work<Imported> {
  const { dialect, now, record } = transaction
  const { bundle_id, thread_id, run_id, events, by, surface, checkpoint_id } = request
  const { thread, after } = yield* threadFor(dialect, request)
  yield* writeElsewhere(transaction, thread, { request, after })
  const imported: Imported = {
    ...{ bundle_id, thread_id, checkpoint_id, after, seq: events.length },
    ...{ imported_at: isoTime(now), imported_by: by, surface },
  }
  yield* run('DELETE FROM @exports WHERE thread = ?', [thread.number])
  yield* run('INSERT INTO @imports (bundle_id, thread_id, record) VALUES (?, ?, ?)', [
    ...[bundle_id, thread_id, JSON.stringify(imported)],
  ])
  const grants: JsonObject[] = []
  for (const { id } of request.grants) grants.push(yield* grantHere(id))
  const data = { bundle_id, checkpoint_id, after, seq: events.length, ...request.data, grants }
  yield* record([{ kind: 'checkpoint.imported', thread_id, run_id, actor: by, surface, data }])
  const here = { ...thread, newest: events.length }
  const behind = yield* insertEvents(dialect, here, { at: now, events: request.behind })
  yield* recordEvents(transaction, here, { events: behind })
  return imported
}

interface Place {
  readonly thread: LockedThread
  /** How much of the thread is here already: nothing, or all of it up to where it moved away. */
  readonly after: number
}

/** Locked, or made. The bundle may be on its way in twice: the second one finds it under the lock. */
function* threadFor(dialect: Dialect, request: ThreadImport): Work<Place> {
  const { thread_id: id, created_at, events } = request
  const made = yield* insertThread(id, { at: Date.parse(created_at), copied: 0 })
  const thread = (yield* lockThread(dialect, id)) as LockedThread
  yield* refuseSecondImport(request)
  if (made) return { thread, after: 0 }
  if (!(yield* findExport(thread))) throw notExported(id)
  return { thread, after: knownPart(id, yield* readEvents(dialect, id, { after: 0 }), events) }
}

function* refuseSecondImport({ bundle_id, thread_id, run_id }: ThreadImport): Work<void> {
  if (!(yield* first('SELECT 1 FROM @imports WHERE bundle_id = ?', [bundle_id]))) return
  const [newest] = yield* listRuns({ thread_id, limit: 1 })
  throw alreadyImported({ bundle_id, run_id, checkpoint_id: newest?.checkpoint_id ?? null })
}

/**
 * Writes the thread with the times and ids that it has. Its past is on record in the other store; what is open is on
 * record here too.
 */
function* writeElsewhere(
  transaction: Transaction,
  thread: LockedThread,
  { request, after }: { readonly request: ThreadImport; readonly after: number },
): Work<void> {
  const { dialect } = transaction
  const { events, runs, holds, grants } = request
  if (events.length >= SEQ_SPAN) throw conflicts(`its journal has ${events.length} events`)
  const fresh = events.slice(after)
  yield* copyEvents(dialect, thread, { ...request, events: fresh })
  yield* run('UPDATE @threads SET audited_after = ? WHERE number = ?', [events.length, thread.number])
  if (dialect.keepsNewest) yield* run('UPDATE @threads SET newest = audited_after WHERE number = ?', [thread.number])
  for (const row of runs) yield* putRun(thread, row)
  for (const hold of holds) yield* putHold(thread, hold)
  for (const grant of grants) yield* putGrant(dialect, grant)
  const opens = holds.filter(({ status }) => status === 'open')
  yield* recordEvents(transaction, thread, { events: fresh, copy: { copied: fresh.length, opens, goesOn: null } })
}

/** In one round trip. */
const PAGE = 500

/** @throws RefusedError `duplicate_input` */
function* copyEvents(
  dialect: Dialect,
  thread: LockedThread,
  { events, onProgress }: Pick<ThreadImport, 'onProgress'> & { readonly events: readonly JournalEvent[] },
): Work<void> {
  for (let from = 0; from < events.length; from += PAGE) {
    const page = events.slice(from, from + PAGE)
    yield* keepInputs(thread, page)
    yield insertPlaced(dialect, thread, page)
    onProgress?.(from + page.length, events.length)
  }
}

function* putRun(thread: LockedThread, row: BundledRun & ThreadImport['runs'][number]): Work<void> {
  const { id, agent, status, checkpoint_id, ended } = row
  const known = yield* findRun(id)
  if (known && known.thread_id !== thread.id) throw conflicts(`run ${id} belongs to another thread here`)
  if (!known) yield* insertRun(thread, row, Date.parse(row.created_at))
  yield* run(
    `UPDATE @runs SET agent = ?, status = ?, checkpoint_id = ?, ended = ?, updated_at = ?, lease_owner = NULL,
       lease_until = NULL, fence = fence + 1 WHERE id = ?`,
    [agent, status, checkpoint_id, ended, Date.parse(row.updated_at), id],
  )
}

function* putHold(thread: LockedThread, hold: Hold): Work<void> {
  const { status, thread_id: _, opened_at, decision, reminded, votes, ...asked } = hold
  const known = yield* findHold(hold.id)
  if (known && known.thread_id !== thread.id) throw conflicts(`hold ${hold.id} belongs to another thread here`)
  if (!known) yield insertHolds([asked], thread.id, Date.parse(opened_at))
  yield* run(
    `UPDATE @holds SET status = ?, decision = ?, votes = ?, assignee = ?, level = ?, reminded = ?, due_at = ?,
       wake_at = ? WHERE id = ?`,
    [
      ...[status, decision && JSON.stringify(decision), votes.length > 0 ? JSON.stringify(votes) : null],
      ...[hold.assignee, hold.level, reminded, millisecondsOrNull(hold.due_at)],
      ...[status === 'open' ? wakeTime(hold) : null, hold.id],
    ],
  )
}

/** A grant that was revoked on either side is revoked. */
function* putGrant(dialect: Dialect, grant: Grant): Work<void> {
  const { revoked_at, revoked_by, uses, ...given } = grant
  const known = yield* findGrant(grant.id)
  if (known && known.scope_id !== grant.scope_id) throw conflicts(`grant ${grant.id} is for something else here`)
  if (!known) yield* insertGrant(dialect, given)
  yield* run(
    `UPDATE @grants SET uses = greatest(uses, ?), revoked_by = coalesce(revoked_by, ?),
       revoked_at = coalesce(revoked_at, ?) WHERE id = ?`,
    [uses, revoked_by, millisecondsOrNull(revoked_at), grant.id],
  )
}

/** The grant after the import, for its record. */
function* grantHere(id: string): Work<JsonObject> {
  const grant = (yield* findGrant(id)) as Grant
  const { name, scope, expires_at, revoked_at, revoked_by, uses } = grant
  return { id, name, scope, expires_at, revoked_at, revoked_by, uses, digest: `sha256:${sha256(grantText(grant))}` }
}

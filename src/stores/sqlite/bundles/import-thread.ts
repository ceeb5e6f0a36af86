/** A thread comes here. Keeps: a bundle is imported once; what is here already must be what the bundle begins with. */
import type { BundledRun } from '../../../core/bundle/bundle.ts'
import { alreadyImported, conflicts, knownPart, notExported } from '../../../core/bundle/import-refusals.ts'
import { type Grant, grantText } from '../../../core/hold/grant.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { wakeTime } from '../../../core/people/due.ts'
import type { Imported } from '../../../core/run/exported.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { ThreadImport } from '../../../ports/store/thread-bundles.ts'
import { sha256 } from '../../sha256.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import type { Database } from '../database/database.ts'
import { auditEntries, auditEvents } from '../tables/audit-table.ts'
import { findExport } from '../tables/exported-threads.ts'
import { findGrant, insertGrant } from '../tables/grant-table.ts'
import { findHold, insertHold } from '../tables/hold-table.ts'
import { keepInput } from '../tables/input-table.ts'
import { findThread, insertEvents, insertThread, readEvents, type ThreadPlace } from '../tables/journal-table.ts'
import { findRun, insertRun, listRuns } from '../tables/run-table.ts'

/** Inside a transaction. */
export function importThread(database: Database, request: ThreadImport, at: number): Imported {
  const { bundle_id, thread_id, run_id, events, by, surface } = request
  refuseSecondImport(database, request)
  const known = findThread(database, thread_id)
  const after = known ? partHere(database, known, events) : 0
  const thread = known ?? insertThread(database, thread_id, { at: Date.parse(request.created_at), copied: 0 })
  writeElsewhere(database, thread, { request, after })
  const imported: Imported = {
    ...{ bundle_id, thread_id, checkpoint_id: request.checkpoint_id, after, seq: events.length },
    ...{ imported_at: new Date(at).toISOString(), imported_by: by, surface },
  }
  database.statement('DELETE FROM exports WHERE thread = ?').run(thread.number)
  database
    .statement('INSERT INTO imports (bundle_id, thread_id, record) VALUES (?, ?, ?)')
    .run(bundle_id, thread_id, JSON.stringify(imported))
  const { checkpoint_id, seq } = imported
  const grants = request.grants.map(({ id }) => grantHere(database, id))
  const data = { bundle_id, checkpoint_id, after, seq, ...request.data, grants }
  auditEntries(database, [{ kind: 'checkpoint.imported', thread_id, run_id, actor: by, surface, data }], at)
  auditEvents(database, thread, insertEvents(database, thread, { after: events.length, at, events: request.behind }))
  return imported
}

function refuseSecondImport(database: Database, { bundle_id, thread_id, run_id }: ThreadImport): void {
  if (!database.statement('SELECT 1 FROM imports WHERE bundle_id = ?').get(bundle_id)) return
  const [newest] = listRuns(database, { thread_id, limit: 1 })
  throw alreadyImported({ bundle_id, run_id, checkpoint_id: newest?.checkpoint_id ?? null })
}

/** How much of the thread is here already: nothing, or all of it up to where it moved away. */
function partHere(database: Database, thread: ThreadPlace, events: readonly JournalEvent[]): number {
  if (!findExport(database, thread)) throw notExported(thread.id)
  return knownPart(thread.id, readEvents(database, thread, 0), events)
}

const TOLD_EVERY = 500

/**
 * Writes the thread with the times and ids that it has. Its past is on record in the other store; what is open is on
 * record here too.
 */
function writeElsewhere(
  database: Database,
  thread: ThreadPlace,
  { request, after }: { readonly request: ThreadImport; readonly after: number },
): void {
  const { events, runs, holds, grants } = request
  if (events.length >= SEQ_SPAN) throw conflicts(`its journal has ${events.length} events`)
  const fresh = events.slice(after)
  const insert = database.statement('INSERT INTO events (place, at, run_id, kind, data) VALUES (?, ?, ?, ?, ?)')
  for (const [written, event] of fresh.entries()) {
    const { seq, at, run_id, kind, data } = event
    keepInput(database, thread, event)
    insert.run(thread.number * SEQ_SPAN + seq, Date.parse(at), run_id, kind, JSON.stringify(data))
    if (written % TOLD_EVERY === 0 || written === fresh.length - 1) request.onProgress?.(written + 1, fresh.length)
  }
  database.statement('UPDATE threads SET audited_after = ? WHERE number = ?').run(events.length, thread.number)
  for (const run of runs) putRun(database, thread, run)
  for (const hold of holds) putHold(database, thread, hold)
  for (const grant of grants) putGrant(database, grant)
  const opens = holds.filter(({ status }) => status === 'open')
  auditEvents(database, thread, fresh, { copied: fresh.length, opens, goesOn: null })
}

function putRun(database: Database, thread: ThreadPlace, run: BundledRun & ThreadImport['runs'][number]): void {
  const { id, agent, status, checkpoint_id, ended } = run
  const known = findRun(database, id)
  if (known && known.thread.number !== thread.number) throw conflicts(`run ${id} belongs to another thread here`)
  if (!known) insertRun(database, thread, { ...run, at: Date.parse(run.created_at) })
  database
    .statement(
      `UPDATE runs SET agent = ?, status = ?, checkpoint_id = ?, ended = ?, updated_at = ?, lease_owner = NULL,
         lease_until = NULL, fence = fence + 1 WHERE id = ?`,
    )
    .run(agent, status, checkpoint_id, ended, Date.parse(run.updated_at), id)
}

function putHold(database: Database, thread: ThreadPlace, hold: Hold): void {
  const { status, thread_id: _, opened_at, decision, reminded, votes, ...asked } = hold
  const known = findHold(database, hold.id)
  if (known && known.thread_id !== thread.id) throw conflicts(`hold ${hold.id} belongs to another thread here`)
  if (!known) insertHold(database, asked, thread.id, Date.parse(opened_at))
  database
    .statement(
      `UPDATE holds SET status = ?, decision = ?, votes = ?, assignee = ?, level = ?, reminded = ?, due_at = ?, wake_at = ?
       WHERE id = ?`,
    )
    .run(
      ...[status, decision && JSON.stringify(decision), votes.length > 0 ? JSON.stringify(votes) : null],
      ...[hold.assignee, hold.level, reminded, hold.due_at === null ? null : Date.parse(hold.due_at)],
      ...[status === 'open' ? wakeTime(hold) : null, hold.id],
    )
}

/** A grant that was revoked on either side is revoked. */
function putGrant(database: Database, grant: Grant): void {
  const { revoked_at, revoked_by, uses, ...given } = grant
  const known = findGrant(database, grant.id)
  if (known && known.scope_id !== grant.scope_id) throw conflicts(`grant ${grant.id} is for something else here`)
  if (!known) insertGrant(database, given)
  database
    .statement('UPDATE grants SET uses = max(uses, ?), revoked_by = coalesce(revoked_by, ?) WHERE id = ?')
    .run(uses, revoked_by, grant.id)
  if (revoked_at !== null)
    database
      .statement('UPDATE grants SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?')
      .run(Date.parse(revoked_at), grant.id)
}

/** For the record of the import: the grant as it is from then on. */
function grantHere(database: Database, id: string): JsonObject {
  const grant = findGrant(database, id) as Grant
  const { name, scope, expires_at, revoked_at, revoked_by, uses } = grant
  return { id, name, scope, expires_at, revoked_at, revoked_by, uses, digest: `sha256:${sha256(grantText(grant))}` }
}

/** A thread comes here. Keeps: a bundle is imported once; what is here already must be what the bundle begins with. */
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
import { auditEntries, auditEvents } from '../audit/audit-records.ts'
import type { Query, Statements } from '../database/pool.ts'
import type { JournalTransaction } from '../journal/journal-transaction.ts'
import { findExport } from '../tables/exported-threads.ts'
import { findGrant, insertGrant } from '../tables/grant-table.ts'
import { findHold, insertHold } from '../tables/hold-table.ts'
import { insertEvents, insertThread, type LockedThread, readEvents } from '../tables/journal-table.ts'
import { findRun, insertRun, listRuns } from '../tables/run-table.ts'
import { copyEvents } from './copy-events.ts'

export async function importThread(transaction: JournalTransaction, request: ThreadImport): Promise<Imported> {
  const { query, now } = transaction
  const { bundle_id, thread_id, run_id, events, by, surface, checkpoint_id } = request
  const { thread, after } = await threadFor(transaction, request)
  await writeElsewhere(query, thread, { request, after })
  const imported: Imported = {
    ...{ bundle_id, thread_id, checkpoint_id, after, seq: events.length },
    ...{ imported_at: isoTime(now), imported_by: by, surface },
  }
  await query('DELETE FROM @exports WHERE thread = $1', [thread.number])
  await query('INSERT INTO @imports (bundle_id, thread_id, record) VALUES ($1, $2, $3)', [
    ...[bundle_id, thread_id, JSON.stringify(imported)],
  ])
  const grants: JsonObject[] = []
  for (const { id } of request.grants) grants.push(await grantHere(query, id))
  const data = { bundle_id, checkpoint_id, after, seq: events.length, ...request.data, grants }
  auditEntries(query, [{ kind: 'checkpoint.imported', thread_id, run_id, actor: by, surface, data }], now)
  const here = { ...thread, newest: events.length }
  await auditEvents(query, here, { events: await insertEvents(query, here, { at: now, events: request.behind }) })
  return imported
}

interface Place {
  readonly thread: LockedThread
  /** How much of the thread is here already: nothing, or all of it up to where it moved away. */
  readonly after: number
}

/** Locked, or made. The bundle may be on its way in twice: the second one finds it under the lock. */
async function threadFor(transaction: JournalTransaction, request: ThreadImport): Promise<Place> {
  const { query } = transaction
  const { thread_id: id, created_at, events } = request
  const made = await insertThread(query, id, { at: Date.parse(created_at), copied: 0 })
  const thread = (await transaction.lock(id)) as LockedThread
  await refuseSecondImport(query, request)
  if (made) return { thread, after: 0 }
  if (!(await findExport(query, thread))) throw notExported(id)
  return { thread, after: knownPart(id, await readEvents(query, id, { after: 0, limit: null }), events) }
}

async function refuseSecondImport(query: Query, { bundle_id, thread_id, run_id }: ThreadImport): Promise<void> {
  const { rows } = await query('SELECT 1 FROM @imports WHERE bundle_id = $1', [bundle_id])
  if (rows.length === 0) return
  const [newest] = await listRuns(query, { thread_id, limit: 1 })
  throw alreadyImported({ bundle_id, run_id, checkpoint_id: newest?.checkpoint_id ?? null })
}

/**
 * Writes the thread with the times and ids that it has. Its past is on record in the other store; what is open is on
 * record here too.
 */
async function writeElsewhere(
  query: Statements,
  thread: LockedThread,
  { request, after }: { readonly request: ThreadImport; readonly after: number },
): Promise<void> {
  const { events, runs, holds, grants, onProgress } = request
  const fresh: readonly JournalEvent[] = events.slice(after)
  await copyEvents(query, thread, { events: fresh, onProgress })
  await query('UPDATE @threads SET audited_after = $1, newest = $1 WHERE number = $2', [events.length, thread.number])
  for (const run of runs) await putRun(query, thread, run)
  for (const hold of holds) await putHold(query, thread, hold)
  for (const grant of grants) await putGrant(query, grant)
  const opens = holds.filter(({ status }) => status === 'open')
  await auditEvents(query, thread, { events: fresh, copy: { copied: fresh.length, opens, goesOn: null } })
}

async function putRun(
  query: Query,
  thread: LockedThread,
  run: BundledRun & ThreadImport['runs'][number],
): Promise<void> {
  const { id, agent, status, checkpoint_id, ended } = run
  const known = await findRun(query, id)
  if (known && known.thread_id !== thread.id) throw conflicts(`run ${id} belongs to another thread here`)
  if (!known) await insertRun(query, thread, { ...run, at: Date.parse(run.created_at) })
  await query(
    `UPDATE @runs SET agent = $1, status = $2, checkpoint_id = $3, ended = $4, updated_at = $5, lease_owner = NULL,
       lease_until = NULL, fence = fence + 1 WHERE id = $6`,
    [agent, status, checkpoint_id, ended, Date.parse(run.updated_at), id],
  )
}

async function putHold(query: Statements, thread: LockedThread, hold: Hold): Promise<void> {
  const { status, thread_id: _, opened_at, decision, reminded, votes, ...asked } = hold
  const known = await findHold(query, hold.id)
  if (known && known.thread_id !== thread.id) throw conflicts(`hold ${hold.id} belongs to another thread here`)
  if (!known) insertHold(query, asked, thread.id, Date.parse(opened_at))
  await query(
    `UPDATE @holds SET status = $1, decision = $2, votes = $3, assignee = $4, level = $5, reminded = $6, due_at = $7,
       wake_at = $8 WHERE id = $9`,
    [
      ...[status, decision && JSON.stringify(decision), votes.length > 0 ? JSON.stringify(votes) : null],
      ...[hold.assignee, hold.level, reminded, millisecondsOrNull(hold.due_at)],
      ...[status === 'open' ? wakeTime(hold) : null, hold.id],
    ],
  )
}

/** A grant that was revoked on either side is revoked. */
async function putGrant(query: Query, grant: Grant): Promise<void> {
  const { revoked_at, revoked_by, uses, ...given } = grant
  const known = await findGrant(query, grant.id)
  if (known && known.scope_id !== grant.scope_id) throw conflicts(`grant ${grant.id} is for something else here`)
  if (!known) await insertGrant(query, given)
  await query(
    `UPDATE @grants SET uses = greatest(uses, $1), revoked_by = coalesce(revoked_by, $2),
       revoked_at = coalesce(revoked_at, $3) WHERE id = $4`,
    [uses, revoked_by, millisecondsOrNull(revoked_at), grant.id],
  )
}

/** For the record of the import: the grant as it is from then on. */
async function grantHere(query: Query, id: string): Promise<JsonObject> {
  const grant = (await findGrant(query, id)) as Grant
  const { name, scope, expires_at, revoked_at, revoked_by, uses } = grant
  return { id, name, scope, expires_at, revoked_at, revoked_by, uses, digest: `sha256:${sha256(grantText(grant))}` }
}

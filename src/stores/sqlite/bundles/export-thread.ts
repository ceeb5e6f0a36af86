/**
 * A thread moves away. Keeps: from here on it cannot go on here. Its holds are not open, and its runs have a new fence.
 */

import { objectionToTaking } from '../../../core/advancing/may-claim.ts'
import { movedOnMeanwhile } from '../../../core/advancing/moved-on.ts'
import type { BundledThread } from '../../../core/bundle/bundle.ts'
import { refuseUnreadable } from '../../../core/bundle/refuse-unreadable.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { type Exported, exportedBy, movedAway } from '../../../core/run/exported.ts'
import type { ExportAttempt, ThreadExport } from '../../../ports/store/thread-bundles.ts'
import type { Database } from '../database/database.ts'
import { auditEntries } from '../tables/audit-table.ts'
import { findExport } from '../tables/exported-threads.ts'
import { listGrants } from '../tables/grant-table.ts'
import { listHolds } from '../tables/hold-table.ts'
import { findThread, lastSeq, readEvents, type ThreadPlace } from '../tables/journal-table.ts'
import { findRun, listRuns } from '../tables/run-table.ts'

/** Inside a transaction. */
export function exportThread(database: Database, request: ThreadExport, at: number): ExportAttempt {
  const { thread_id, run_id, checkpoint_id, by, surface } = request
  const thread = findThread(database, thread_id)
  const run = findRun(database, run_id)
  if (!thread || lastSeq(database, thread) !== request.after || run === null) throw movedOnMeanwhile(thread_id)
  const before = findExport(database, thread)
  if (before && before.checkpoint_id !== checkpoint_id) throw movedAway(before)
  const { lease } = run.row
  const objection = objectionToTaking(lease, request.evict ?? null)
  if (objection) return objection
  const exported = before ?? exportedBy(request, at)
  if (!before && !request.isDraft) {
    moveAway(database, thread, exported)
    const data = { bundle_id: exported.bundle_id, checkpoint_id, events: request.after }
    auditEntries(database, [{ kind: 'checkpoint.exported', thread_id, run_id, actor: by, surface, data }], at)
  }
  return { outcome: 'exported', exported, thread: contents(database, thread, request) }
}

/** P7: an owner that still believes to hold the lease is refused at its next write. */
function moveAway(database: Database, { id, number }: ThreadPlace, exported: Exported): void {
  database.statement('INSERT INTO exports (thread, record) VALUES (?, ?)').run(number, JSON.stringify(exported))
  database
    .statement(`UPDATE holds SET status = 'exported', wake_at = NULL WHERE thread_id = ? AND status = 'open'`)
    .run(id)
  database
    .statement(
      `UPDATE runs SET status = iif(status = 'running', 'waiting', status), lease_owner = NULL, lease_until = NULL,
         fence = fence + 1 WHERE thread = ?`,
    )
    .run(number)
}

/** As it is elsewhere from now on: the same whenever it is asked for. */
function contents(
  database: Database,
  thread: ThreadPlace,
  { after, onProgress }: Pick<ThreadExport, 'after' | 'onProgress'>,
): BundledThread {
  const created = database.statement('SELECT created_at FROM threads WHERE number = ?').get(thread.number)
  const runs = listRuns(database, { thread_id: thread.id }).toReversed()
  const places = new Set([thread.id, ...runs.map(({ id }) => id)])
  const holds = listHolds(database, { thread_id: thread.id })
  const grants = listGrants(database, {}).filter(({ scope, scope_id }) => scope !== 'project' && places.has(scope_id))
  refuseUnreadable([...runs, ...holds, ...grants])
  return {
    created_at: new Date(Number(created?.['created_at'])).toISOString(),
    events: allEvents(database, thread, events => onProgress?.(events, after)),
    runs: runs.map(({ id, agent, hold_scope, parent_run_id, checkpoint_id, created_at, updated_at }) => ({
      ...{ id, agent, hold_scope, parent_run_id, checkpoint_id, created_at, updated_at },
    })),
    holds: holds.map(hold => (hold.status === 'exported' ? { ...hold, status: 'open' } : hold)),
    grants,
  }
}

/** Read at once. */
const PAGE = 1000

function allEvents(database: Database, thread: ThreadPlace, tell: (events: number) => void): JournalEvent[] {
  const events: JournalEvent[] = []
  for (let page = readEvents(database, thread, 0, PAGE); page.length > 0; ) {
    events.push(...page)
    tell(events.length)
    page = readEvents(database, thread, events.length, PAGE)
  }
  return events
}

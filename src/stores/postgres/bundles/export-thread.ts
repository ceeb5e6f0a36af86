/**
 * A thread moves away. Keeps: from here on it cannot go on here. Its holds are not open, and its runs have a new fence.
 */
import { objectionToTaking } from '../../../core/advancing/may-claim.ts'
import { movedOnMeanwhile } from '../../../core/advancing/moved-on.ts'
import type { BundledThread } from '../../../core/bundle/bundle.ts'
import { refuseUnreadable } from '../../../core/bundle/refuse-unreadable.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { type Exported, exportedBy, movedAway } from '../../../core/run/exported.ts'
import { isoTime } from '../../../core/text/iso-time.ts'
import type { ExportAttempt, ThreadExport } from '../../../ports/store/thread-bundles.ts'
import { auditEntries } from '../audit/audit-records.ts'
import type { Query } from '../database/pool.ts'
import type { JournalTransaction } from '../journal/journal-transaction.ts'
import { findExport } from '../tables/exported-threads.ts'
import { listGrantsWithin } from '../tables/grant-table.ts'
import { listHolds } from '../tables/hold-table.ts'
import { type LockedThread, readEvents } from '../tables/journal-table.ts'
import { listRuns, lockRun } from '../tables/run-table.ts'

export async function exportThread(transaction: JournalTransaction, request: ThreadExport): Promise<ExportAttempt> {
  const { query, now } = transaction
  const { thread_id, run_id, checkpoint_id, by, surface } = request
  const thread = await transaction.lock(thread_id)
  const run = await lockRun(query, run_id)
  if (!thread || thread.newest !== request.after || run === null) throw movedOnMeanwhile(thread_id)
  const before = await findExport(query, thread)
  if (before && before.checkpoint_id !== checkpoint_id) throw movedAway(before)
  const { lease } = run
  const objection = objectionToTaking(lease, request.evict ?? null)
  if (objection) return objection
  const exported = before ?? exportedBy(request, now)
  if (!before && !request.isDraft) {
    await moveAway(query, thread, exported)
    const data = { bundle_id: exported.bundle_id, checkpoint_id, events: request.after }
    auditEntries(query, [{ kind: 'checkpoint.exported', thread_id, run_id, actor: by, surface, data }], now)
  }
  return { outcome: 'exported', exported, thread: await contents(query, thread, request) }
}

/** P7: an owner that still believes to hold the lease is refused at its next write. */
async function moveAway(query: Query, { id, number }: LockedThread, exported: Exported): Promise<void> {
  await query('INSERT INTO @exports (thread, record) VALUES ($1, $2)', [number, JSON.stringify(exported)])
  await query(`UPDATE @holds SET status = 'exported', wake_at = NULL WHERE thread_id = $1 AND status = 'open'`, [id])
  await query(
    `UPDATE @runs SET status = CASE status WHEN 'running' THEN 'waiting' ELSE status END, lease_owner = NULL,
       lease_until = NULL, fence = fence + 1 WHERE thread = $1`,
    [number],
  )
}

/** As it is elsewhere from now on: the same whenever it is asked for. */
async function contents(
  query: Query,
  thread: LockedThread,
  { after, onProgress }: Pick<ThreadExport, 'after' | 'onProgress'>,
): Promise<BundledThread> {
  const created = await query('SELECT created_at FROM @threads WHERE number = $1', [thread.number])
  const runs = (await listRuns(query, { thread_id: thread.id })).toReversed()
  const holds = await listHolds(query, { thread_id: thread.id })
  const grants = await listGrantsWithin(query, [thread.id, ...runs.map(({ id }) => id)])
  refuseUnreadable([...runs, ...holds, ...grants])
  return {
    created_at: isoTime(Number(created.rows[0]?.['created_at'])),
    events: await allEvents(query, thread, events => onProgress?.(events, after)),
    runs: runs.map(({ id, agent, hold_scope, parent_run_id, checkpoint_id, created_at, updated_at }) => ({
      ...{ id, agent, hold_scope, parent_run_id, checkpoint_id, created_at, updated_at },
    })),
    holds: holds.map(hold => (hold.status === 'exported' ? { ...hold, status: 'open' } : hold)),
    grants,
  }
}

/** Read at once. */
const PAGE = 1000

async function allEvents(query: Query, { id }: LockedThread, tell: (events: number) => void): Promise<JournalEvent[]> {
  const events: JournalEvent[] = []
  const nextPage = () => readEvents(query, id, { after: events.length, limit: PAGE })
  for (let page = await nextPage(); page.length > 0; page = await nextPage()) {
    events.push(...page)
    tell(events.length)
  }
  return events
}

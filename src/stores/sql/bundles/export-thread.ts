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
import type { Dialect } from '../driver/dialect.ts'
import type { Transaction } from '../driver/driver.ts'
import { first, run, type Work } from '../driver/work.ts'
import { findExport } from '../tables/exported-threads.ts'
import { listGrantsWithin } from '../tables/grant-table.ts'
import { listHolds } from '../tables/hold-table.ts'
import { type LockedThread, lockThread, readEvents } from '../tables/journal-table.ts'
import { listRuns, lockRun } from '../tables/run-table.ts'

export function* exportThread(transaction: Transaction, request: ThreadExport): Work<ExportAttempt> {
  const { dialect, now, record } = transaction
  const { thread_id, run_id, checkpoint_id, by, surface } = request
  const thread = yield* lockThread(dialect, thread_id)
  const row = yield* lockRun(run_id)
  if (!thread || thread.newest !== request.after || row === null) throw movedOnMeanwhile(thread_id)
  const before = yield* findExport(thread)
  if (before && before.checkpoint_id !== checkpoint_id) throw movedAway(before)
  const objection = objectionToTaking(row.lease, request.evict ?? null)
  if (objection) return objection
  const exported = before ?? exportedBy(request, now)
  if (!before && !request.isDraft) {
    yield* moveAway(thread, exported)
    const data = { bundle_id: exported.bundle_id, checkpoint_id, events: request.after }
    yield* record([{ kind: 'checkpoint.exported', thread_id, run_id, actor: by, surface, data }])
  }
  return { outcome: 'exported', exported, thread: yield* contents(dialect, thread, request) }
}

/** P7: an owner that still believes to hold the lease is refused at its next write. */
function* moveAway({ id, number }: LockedThread, exported: Exported): Work<void> {
  yield* run('INSERT INTO @exports (thread, record) VALUES (?, ?)', [number, JSON.stringify(exported)])
  yield* run(`UPDATE @holds SET status = 'exported', wake_at = NULL WHERE thread_id = ? AND status = 'open'`, [id])
  yield* run(
    `UPDATE @runs SET status = CASE status WHEN 'running' THEN 'waiting' ELSE status END, lease_owner = NULL,
       lease_until = NULL, fence = fence + 1 WHERE thread = ?`,
    [number],
  )
}

/** The thread as another store gets it. Each call returns the same. */
function* contents(
  dialect: Dialect,
  thread: LockedThread,
  { after, onProgress }: Pick<ThreadExport, 'after' | 'onProgress'>,
): Work<BundledThread> {
  const created = yield* first('SELECT created_at FROM @threads WHERE number = ?', [thread.number])
  const runs = (yield* listRuns({ thread_id: thread.id })).toReversed()
  const holds = yield* listHolds(dialect, { thread_id: thread.id })
  const grants = yield* listGrantsWithin(dialect, [thread.id, ...runs.map(({ id }) => id)])
  refuseUnreadable([...runs, ...holds, ...grants])
  return {
    created_at: isoTime(Number(created?.['created_at'])),
    events: yield* allEvents(dialect, thread, events => onProgress?.(events, after)),
    runs: runs.map(({ id, agent, hold_scope, parent_run_id, checkpoint_id, created_at, updated_at }) => ({
      ...{ id, agent, hold_scope, parent_run_id, checkpoint_id, created_at, updated_at },
    })),
    holds: holds.map(hold => (hold.status === 'exported' ? { ...hold, status: 'open' } : hold)),
    grants,
  }
}

/** Read at once. */
const PAGE = 1000

function* allEvents(dialect: Dialect, { id }: LockedThread, tell: (events: number) => void): Work<JournalEvent[]> {
  const events: JournalEvent[] = []
  for (;;) {
    const page = yield* readEvents(dialect, id, { after: events.length, limit: PAGE })
    if (page.length === 0) return events
    events.push(...page)
    tell(events.length)
  }
}

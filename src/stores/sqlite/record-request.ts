import type { NewRequest, Requested } from '../../core/advancing/request.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { NewEvent } from '../../core/journal/event.ts'
import { movedAway } from '../../core/run/exported.ts'
import type { Database } from './database/database.ts'
import { listHolds, withdrawHold } from './tables/hold-table.ts'
import { type insertEvents, lastSeq, type ThreadPlace } from './tables/journal-table.ts'
import { findRun, readyRun } from './tables/run-table.ts'

const BECAUSE: Readonly<Record<NewRequest['event']['kind'], string>> = {
  'cancel.requested': 'the run was cancelled',
  'message.queued': 'a new message came',
}

interface Pen {
  readonly at: number
  readonly write: (thread: ThreadPlace, place: Parameters<typeof insertEvents>[2]) => ReturnType<typeof insertEvents>
}

/** Inside a transaction. `null` for an unknown run; only what is `recorded` left a trace. */
export function recordRequest(database: Database, request: NewRequest, { at, write }: Pen): Requested | null {
  const run = findRun(database, request.run_id)
  if (run === null) return null
  if (run.row.exported) throw movedAway(run.row.exported)
  if (run.row.status === 'done' || run.row.ended !== null) return { outcome: 'done' }
  const holds = listHolds(database, { run_id: run.row.id, status: 'open' })
  if (request.unlessWaiting && holds.length > 0) return { outcome: 'waiting', holds: holds.length }
  const withdrawn = request.withdraw ? holds : []
  for (const hold of withdrawn) withdrawHold(database, hold.id, run.row.id)
  if (request.withdraw) readyRun(database, run.row.id, at)
  const events = [...withdrawn.map(hold => withdrawnEvent(hold, request)), request.event]
  const after = lastSeq(database, run.thread)
  return { outcome: 'recorded', events: write(run.thread, { after, at, events }) }
}

function withdrawnEvent({ id: hold_id, run_id, call_id }: Hold, { event }: NewRequest): NewEvent {
  return { kind: 'hold.withdrawn', run_id, data: { hold_id, call_id, because: BECAUSE[event.kind] } }
}

import type { NewEvent } from '../../core/event.ts'
import { movedAway } from '../../core/exported.ts'
import type { Hold } from '../../core/hold.ts'
import type { Request, Requested } from '../../ports/store.ts'
import type { Database } from './database.ts'
import { listHolds, withdrawHold } from './hold-table.ts'
import { type insertEvents, lastSeq, type ThreadPlace } from './journal-table.ts'
import { findRun, readyRun } from './run-table.ts'

const BECAUSE: Readonly<Record<Request['event']['kind'], string>> = {
  'cancel.requested': 'the run was cancelled',
  'message.queued': 'a new message came',
}

interface Pen {
  readonly at: number
  readonly write: (thread: ThreadPlace, place: Parameters<typeof insertEvents>[2]) => ReturnType<typeof insertEvents>
}

/** Inside a transaction. `null` for an unknown run; only what is `recorded` left a trace. */
export function recordRequest(database: Database, request: Request, { at, write }: Pen): Requested | null {
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

function withdrawnEvent({ id: hold_id, run_id, call_id }: Hold, { event }: Request): NewEvent {
  return { kind: 'hold.withdrawn', run_id, data: { hold_id, call_id, because: BECAUSE[event.kind] } }
}

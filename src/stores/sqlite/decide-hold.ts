import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import { RefusedError } from '../../core/errors.ts'
import type { Decision } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { tally } from '../../core/hold/may-decide.ts'
import { saidBefore } from '../../core/hold/said-before.ts'
import { unknownHold } from '../../core/hold/unknown-hold.ts'
import type { NewEvent } from '../../core/journal/event.ts'
import { movedAway } from '../../core/run/exported.ts'
import type { Database } from './database/database.ts'
import { insertGrant } from './tables/grant-table.ts'
import { findHold } from './tables/hold-table.ts'
import { findRun, isRunOver } from './tables/run-table.ts'

/** What became of a decision, and what is to be written in the journal where it was recorded now. */
export interface Decided {
  readonly receipt: Receipt
  readonly event: Extract<NewEvent, { kind: 'hold.decided' | 'hold.voted' }> | null
}

/**
 * Inside a transaction: the compare-and-set of P2. One decision finds the row open; every other one reads who was first.
 * Where several people must approve, each approval but the last leaves it open.
 */
export function decideHold(database: Database, { hold_id, ...decision }: ReadyDecision, now: number): Decided {
  const hold = findHold(database, hold_id)
  if (hold === null) return refused(null, unknownHold(hold_id))
  const before = saidBefore(hold, decision)
  if (before) return { receipt: { outcome: 'duplicate', hold, decision: before }, event: null }
  if (hold.status === 'exported') return refused(hold, exportedError(database, hold))
  if (hold.status !== 'open') return afterIt(hold)
  if (isRunOver(database, hold.run_id)) return refused(hold, noLongerOpen(hold))
  if (hold.due_at !== null && Date.parse(hold.due_at) <= now) return refused(hold, overdue(hold))
  return record(database, hold, decision)
}

function record(database: Database, hold: Hold, decision: Decision): Decided {
  const count = counted(hold, decision)
  if (count instanceof RefusedError) return refused(hold, count)
  const { decides, need } = count
  const votes = need > 1 && decision.verdict === 'approve' ? [...hold.votes, decision] : hold.votes
  database
    .statement(`UPDATE holds SET status = ?, decision = ?, votes = ? WHERE id = ? AND status = 'open'`)
    .run(decides ? 'decided' : 'open', decides ? JSON.stringify(decision) : null, textOf(votes), hold.id)
  if (decides && decision.grant) insertGrant(database, decision.grant)
  const event = decides ? decidedEvent(hold, decision) : votedEvent(hold, decision, count)
  return { receipt: { outcome: 'recorded', hold: findHold(database, hold.id) ?? hold, decision }, event }
}

function textOf(votes: readonly Decision[]): string | null {
  return votes.length > 0 ? JSON.stringify(votes) : null
}

function decidedEvent({ id: hold_id, call_id, run_id }: Hold, decision: Decision): Decided['event'] {
  const status = call_id === null ? null : 'resuming'
  return { kind: 'hold.decided', run_id, data: { hold_id, call_id, status, decision } }
}

function votedEvent(
  { id: hold_id, call_id, run_id }: Hold,
  decision: Decision,
  { have, need }: { have: number; need: number },
): Decided['event'] {
  return { kind: 'hold.voted', run_id, data: { hold_id, call_id, decision, have, need } }
}

function counted(hold: Hold, decision: Decision): ReturnType<typeof tally> | RefusedError {
  try {
    return tally(hold, decision)
  } catch (thrown) {
    if (thrown instanceof RefusedError) return thrown
    throw thrown
  }
}

/** With where it went, and how it comes back. */
function exportedError(database: Database, hold: Hold): RefusedError {
  const exported = findRun(database, hold.run_id)?.row.exported
  return exported ? movedAway(exported) : noLongerOpen(hold)
}

function afterIt(hold: Hold): Decided {
  if (hold.status !== 'decided' || hold.decision === null) return refused(hold, noLongerOpen(hold))
  return { receipt: { outcome: 'already_decided', hold, winner: hold.decision }, event: null }
}

function refused(hold: Hold | null, error: RefusedError): Decided {
  return { receipt: { outcome: 'refused', hold, error }, event: null }
}

/** Its time is over, though nobody wrote that down yet. */
function overdue({ id, due_at }: Hold): RefusedError {
  return new RefusedError('hold_overdue', `The hold ${id} was due at ${due_at}, and nobody had decided by then.`, {
    hint: 'Nothing was changed. `holdpoint work --once` carries out what was to happen then.',
  })
}

const ENDED_BY: Readonly<Record<string, string>> = { approve: 'approved', reject: 'rejected', cancel: 'cancelled' }

const NO_LONGER_OPEN: Readonly<Record<Hold['status'], readonly [code: string, meaning: (hold: Hold) => string]>> = {
  open: ['run_done', () => 'belongs to a run that has come to its end'],
  decided: ['hold_decided', () => 'was decided'],
  expired: [
    'hold_expired',
    ({ due_at, decision }) =>
      `was due at ${due_at} and nobody had decided by then, so it was ${ENDED_BY[decision?.verdict ?? ''] ?? 'closed'}`,
  ],
  exported: ['exported', () => 'moved to another store with its thread'],
  withdrawn: ['hold_withdrawn', () => 'was withdrawn: its run was cancelled, got a new message or came to its end'],
}

function noLongerOpen(hold: Hold): RefusedError {
  const [code, meaning] = NO_LONGER_OPEN[hold.status]
  return new RefusedError(code, `The hold ${hold.id} ${meaning(hold)}. It can no longer be decided.`, {
    hint: `Nothing was changed. See how it went with \`holdpoint show ${hold.id}\`.`,
    ...(hold.decision && { details: { winner: hold.decision } }),
  })
}

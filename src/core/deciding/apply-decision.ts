import { isOverdue } from '../deadlines/next-due.ts'
import { RefusedError } from '../errors.ts'
import type { Decision } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'
import { tally } from '../hold/may-decide.ts'
import { saidBefore } from '../hold/said-before.ts'
import type { NewEvent } from '../journal/event.ts'
import { holdRefusals } from '../refusals/hold-refusals.ts'
import { type Exported, movedAway } from '../run/exported.ts'
import type { Receipt } from './receipt.ts'
import { noLongerOpen, unreadableHold } from './undecidable.ts'

/** The state around a hold when a decision on it arrives. */
export interface DecisionContext {
  /** In milliseconds since 1970. */
  readonly now: number
  /** True if its run has ended or is about to. */
  readonly isRunOver: boolean
  /** Set if its thread moved to another store. */
  readonly exported: Exported | null
}

/** The outcome of a decision, and the writes that go with it: none unless it is recorded now. */
export interface AppliedDecision {
  readonly receipt: Receipt
  readonly write: DecisionWrite | null
}

export interface DecisionWrite {
  /** The hold from now on. Its row must still be open when it is written (P2). */
  readonly hold: Hold
  readonly event: Extract<NewEvent, { kind: 'hold.decided' | 'hold.voted' }>
}

/**
 * P2: the first decision finds the hold open and every later one gets the winner. If several people must approve, each
 * approval but the last leaves the hold open.
 */
export function applyDecision(hold: Hold, decision: Decision, context: DecisionContext): AppliedDecision {
  const damage = unreadableHold(hold)
  return damage ? refused(hold, damage) : applied(hold, decision, context)
}

function applied(hold: Hold, decision: Decision, { now, isRunOver, exported }: DecisionContext): AppliedDecision {
  const before = saidBefore(hold, decision)
  if (before) return { receipt: { outcome: 'duplicate', hold, decision: before }, write: null }
  if (hold.status === 'exported') return refused(hold, exported ? movedAway(exported) : noLongerOpen(hold))
  if (hold.status === 'decided' && hold.decision !== null)
    return { receipt: { outcome: 'already_decided', hold, winner: hold.decision }, write: null }
  if (hold.status !== 'open' || isRunOver) return refused(hold, noLongerOpen(hold))
  if (isOverdue(hold, now)) return refused(hold, holdRefusals.holdOverdue(hold.id, hold.due_at))
  return recorded(hold, decision)
}

function recorded(before: Hold, decision: Decision): AppliedDecision {
  const count = counted(before, decision)
  if (count instanceof RefusedError) return refused(before, count)
  const { decides, need } = count
  const votes = need > 1 && decision.verdict === 'approve' ? [...before.votes, decision] : before.votes
  const hold: Hold = decides ? { ...before, votes, status: 'decided', decision } : { ...before, votes }
  const event = decides ? decidedEvent(hold, decision) : votedEvent(hold, decision, count)
  return { receipt: { outcome: 'recorded', hold, decision }, write: { hold, event } }
}

function counted(hold: Hold, decision: Decision): ReturnType<typeof tally> | RefusedError {
  try {
    return tally(hold, decision)
  } catch (thrown) {
    if (thrown instanceof RefusedError) return thrown
    throw thrown
  }
}

function decidedEvent({ id: hold_id, call_id, run_id }: Hold, decision: Decision): DecisionWrite['event'] {
  const status = call_id === null ? null : 'resuming'
  return { kind: 'hold.decided', run_id, data: { hold_id, call_id, status, decision } }
}

function votedEvent(
  { id: hold_id, call_id, run_id }: Hold,
  decision: Decision,
  { have, need }: { have: number; need: number },
): DecisionWrite['event'] {
  return { kind: 'hold.voted', run_id, data: { hold_id, call_id, decision, have, need } }
}

function refused(hold: Hold, error: RefusedError): AppliedDecision {
  return { receipt: { outcome: 'refused', hold, error }, write: null }
}

import { approvalKey, isApprovalRequest } from '../hold/approval-request.ts'
import type { Decision } from '../hold/decision.ts'
import type { Content } from '../message/part.ts'
import { decidedCall } from '../run/context/decided-calls.ts'
import type { ToolCall } from '../run/tool-call.ts'
import { frozen } from '../text/frozen.ts'
import type { EventData } from './event.ts'
import { beginInput, betweenSteps, callOf, fitting, hear, move, runOf } from './fold-access.ts'
import { type HoldState, openHolds, type Run, type Thread } from './thread.ts'

/** Calls are held one hold at a time; a text pause is about no call. */
export function holdOpened(
  thread: Thread,
  { hold_id, status: _, arguments: made, fitted, terms: _terms, due_at: _due, ...asked }: EventData['hold.opened'],
): void {
  const { call_id, kind } = asked
  const run = call_id === null ? betweenSteps(thread) : runOf(thread)
  if (run.holds.has(hold_id)) throw new Error(`hold ${hold_id} was opened before`)
  if ((kind === 'input') !== (call_id === null))
    throw new Error(`a hold of kind ${kind} is about ${call_id ?? 'no call'}`)
  const other = openHolds(run).find(hold => hold.call_id === call_id)
  if (other) throw new Error(`hold ${other.id} is open`)
  if (call_id !== null) {
    const filled = { ...(made && { arguments: made }), ...(fitted && { fitted }) }
    move(thread, call_id, 'suspended', { hold_id, ...fitting(callOf(thread, call_id), filled) })
  }
  run.holds.set(hold_id, { id: hold_id, ...asked, decision: null, withdrawn: false })
}

export function holdDecided(thread: Thread, { hold_id, decision }: EventData['hold.decided']): void {
  const hold = release(thread, hold_id, decision)
  if (hold.call_id !== null) decidedAbout(thread, hold.call_id, decision)
  // A rejected call stays rejected, even if it would change something else by now.
  const rejected = hold.bare_digest ?? hold.digest
  if (decision.verdict === 'reject' && hold.kind === 'approval' && rejected)
    runOf(thread).rejected.set(rejected, decision.reason)
  if (hold.kind === 'approval' && hold.call_id !== null)
    keepApproval(thread, { hold_id, call_id: hold.call_id }, decision)
}

/** Lets the call go on, by a person's decision or by the hold's own rule for its deadline. */
function release(thread: Thread, holdId: string, decision: Decision): HoldState {
  const run = runOf(thread)
  const hold = undecided(run, holdId)
  if (hold.call_id === null) goOn(thread, decision)
  else move(thread, hold.call_id, 'resuming', edited(callOf(thread, hold.call_id), decision))
  run.holds.set(holdId, { ...hold, decision })
  return hold
}

/** Edited arguments of an older journal are checked when they run. */
function edited(call: ToolCall, { arguments: args, fitted }: Decision): Partial<ToolCall> {
  if (!args) return {}
  if (fitted !== undefined) return fitting(call, { arguments: args, fitted })
  return { final_arguments: frozen(args), ...(call.fitted && { fitted: null }) }
}

/** An approval in words covers one call of a tool that demands it. */
function keepApproval(
  thread: Thread,
  { hold_id, call_id }: { hold_id: string; call_id: string },
  { verdict, decided_by, member_of }: Decision,
): void {
  const { name, final_arguments: args } = callOf(thread, call_id)
  if (!isApprovalRequest(name) || typeof args === 'string') return
  if (verdict === 'approve' || verdict === 'edit')
    runOf(thread).approvals.set(approvalKey(args), {
      ...{ hold_id, decided_by, ...(member_of && { member_of }) },
      used_by: null,
    })
}

/** The key of the approval that covers a call. A call that is gated again under other rules keeps its approval. */
export function coveringApproval(run: Run, holdId: string, callId: string): string {
  const approval = [...run.approvals].find(
    ([, { hold_id, used_by }]) => hold_id === holdId && (used_by ?? callId) === callId,
  )
  if (!approval) throw new Error(`the approval ${holdId} was not given, or was used before`)
  return approval[0]
}

export function useApproval(run: Run, key: string, callId: string): void {
  const approval = run.approvals.get(key)
  if (approval) run.approvals.set(key, { ...approval, used_by: callId })
}

/** An approval that leaves the hold open: others must give theirs. */
export function holdVoted(thread: Thread, { hold_id, decision }: EventData['hold.voted']): void {
  const run = runOf(thread)
  const hold = undecided(run, hold_id)
  run.holds.set(hold_id, { ...hold, votes: [...(hold.votes ?? []), decision] })
  if (hold.call_id !== null) decidedAbout(thread, hold.call_id, decision)
}

/** A decision outlives every fold of the conversation, word for word. */
function decidedAbout(thread: Thread, callId: string, decision: Decision): void {
  const { name, arguments: args } = callOf(thread, callId)
  const decided = [...thread.context.decided, decidedCall({ id: callId, name, arguments: args }, decision)]
  thread.context = { ...thread.context, decided }
}

/** Checks that the hold is open: the event is about the hold and leaves it open. */
export function openHold(thread: Thread, { hold_id }: { readonly hold_id: string }): void {
  undecided(runOf(thread), hold_id)
}

function goOn(thread: Thread, { verdict, value, parts, reason, decided_by }: Decision): void {
  if (verdict !== 'respond') return
  const content = parts ?? String(value)
  beginInput(hear(thread, { content: reason?.trim() ? commented(content, reason) : content, author: decided_by }))
}

function commented(content: Content, comment: string): Content {
  return typeof content === 'string' ? `${content}\n\n${comment}` : [...content, { type: 'text', text: comment }]
}

function undecided(run: Run, holdId: string): HoldState {
  const hold = run.holds.get(holdId)
  if (!hold) throw new Error(`hold ${holdId} was never opened`)
  if (hold.decision) throw new Error(`hold ${holdId} is decided already`)
  if (hold.withdrawn) throw new Error(`hold ${holdId} is withdrawn`)
  return hold
}

/** The deadline passed without a decision, so the hold's own rule for it decides. */
export function holdExpired(thread: Thread, { hold_id, decision, ends_run }: EventData['hold.expired']): void {
  const hold = release(thread, hold_id, decision)
  if (ends_run || (hold.kind === 'input' && decision.verdict === 'cancel'))
    runOf(thread).cancel ??= { by: decision.decided_by, reason: decision.reason }
}

export function holdWithdrawn(thread: Thread, { hold_id }: EventData['hold.withdrawn']): void {
  const run = runOf(thread)
  run.holds.set(hold_id, { ...undecided(run, hold_id), withdrawn: true })
}

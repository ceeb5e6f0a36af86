import { isApprovalRequest } from '../hold/approval-request.ts'
import type { Decision, DecisionVerdict } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'
import type { NewEvent } from '../journal/event.ts'
import { demandsPeople } from '../people/deciders.ts'
import type { EscalationLevel, FinalAction } from '../people/due.ts'

/** The effects of time on a hold. */
export type DueEvent = Extract<NewEvent, { kind: 'hold.reminded' | 'hold.escalated' | 'hold.expired' }>

/** The signature of an expiry. */
export const DEADLINE = { decided_by: 'holdpoint', surface: 'deadline' } as const

interface Signature {
  readonly decision_id: string
  /** The digest that an approval of the shown hold releases. */
  readonly digest: string | null
}

/**
 * The next thing that is due on an open hold at `now` (milliseconds since 1970), or `null`. Things happen in their
 * order, each once, however late. An escalation counts its time from when the assignee is really asked.
 */
export function nextDue(hold: Hold, now: number, sign: () => Signature): DueEvent | null {
  const { id: hold_id, call_id, run_id, due_at, remind_at, reminded, assignee } = hold
  const reminder = remind_at[reminded]
  const isDue = due_at !== null && Date.parse(due_at) <= now
  if (reminder !== undefined && Date.parse(reminder) <= now && !(isDue && Date.parse(reminder) > Date.parse(due_at))) {
    const data = { hold_id, call_id, number: reminded + 1, remind_at: reminder, assignee }
    return { kind: 'hold.reminded', run_id, data }
  }
  if (!isDue) return null
  return escalation(hold, now) ?? expiry(hold, now, sign())
}

function nextLevelOf({ on_due, level, escalation: levels }: Hold): EscalationLevel | null {
  return (on_due === 'escalate' && levels[level]) || null
}

function escalation(hold: Hold, now: number): DueEvent | null {
  const { id: hold_id, call_id, run_id, level } = hold
  const next = nextLevelOf(hold)
  if (next === null) return null
  const due_at = new Date(now + next.seconds * 1000).toISOString()
  return {
    kind: 'hold.escalated',
    run_id,
    data: { hold_id, call_id, level: level + 1, assignee: next.assignee, due_at },
  }
}

function expiry(hold: Hold, now: number, { decision_id, digest }: Signature): DueEvent {
  const { id: hold_id, call_id, run_id } = hold
  const action = finalActionOf(hold)
  const decision: Decision = {
    decision_id,
    verdict: VERDICTS[action],
    arguments: null,
    value: null,
    reason: reasonOf(hold, action),
    digest: action === 'auto_approve' ? digest : null,
    ...DEADLINE,
    at: new Date(now).toISOString(),
    grant: null,
  }
  const status = call_id === null ? null : 'resuming'
  const ends = action === 'cancel' ? ({ ends_run: true } as const) : {}
  return { kind: 'hold.expired', run_id, data: { hold_id, call_id, status, on_due: action, decision, ...ends } }
}

/**
 * True once the deadline of an open hold has ended the time for decisions of people. If time would approve the hold,
 * people may decide until that is on record (P1): the clock may be in doubt, and a person's word counts more.
 */
export function isOverdue(hold: Hold, now: number): boolean {
  if (hold.due_at === null || Date.parse(hold.due_at) > now) return false
  return nextLevelOf(hold) !== null || finalActionOf(hold) !== 'auto_approve'
}

/** The last action on a hold, after all levels of its escalation. */
export function finalActionOf(
  hold: Pick<Hold, 'kind' | 'on_due' | 'finally' | 'destructive' | 'deciders'>,
): FinalAction {
  const { kind, on_due, finally: last, destructive, deciders } = hold
  const wished = on_due === null || on_due === 'escalate' ? last : on_due
  const needsPeople = destructive || demandsPeople(deciders)
  return POSSIBLE[kind](needsPeople ? noApproval(wished) : wished)
}

const VERDICTS: Record<FinalAction, DecisionVerdict> = { cancel: 'cancel', reject: 'reject', auto_approve: 'approve' }

const cancel = (): FinalAction => 'cancel'
const noApproval = (action: FinalAction) => (action === 'auto_approve' ? 'cancel' : action)

/** A question is never approved. A text pause is accepted as final, or its run is cancelled. */
const POSSIBLE: Record<Hold['kind'], (action: FinalAction) => FinalAction> = {
  approval: action => action,
  question: noApproval,
  client_tool: noApproval,
  input: action => (action === 'auto_approve' ? action : 'cancel'),
  in_doubt: cancel,
}

function reasonOf({ kind, due_at, tool }: Hold, action: FinalAction): string {
  if (action === 'auto_approve' && isApprovalRequest(tool ?? ''))
    return `nobody decided until ${due_at}, so time approved it. No call that needs an approval of its own may run by it.`
  if (kind === 'in_doubt') return `nobody said until ${due_at} whether it took effect, so it may have.`
  return `nobody decided until ${due_at}.`
}

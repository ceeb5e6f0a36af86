import type { Hold } from '../hold/hold.ts'
import type { EscalationLevel, FinalAction } from '../people/due.ts'
import { durationText } from '../text/duration-text.ts'
import { finalActionOf } from './next-due.ts'

type Due = Pick<
  Hold,
  'destructive' | 'deciders' | 'kind' | 'due_at' | 'on_due' | 'escalation' | 'finally' | 'level' | 'not_by_time'
>

const NEVER = 'never: it waits until somebody decides'

const ENDS: Record<FinalAction, string> = {
  cancel: 'its run cancelled',
  reject: 'rejected',
  auto_approve: 'approved, with nobody having looked',
}

/** A text pause is about a run, not about a call. */
const ENDS_OF_INPUT: Record<FinalAction, string> = {
  cancel: 'its run cancelled',
  reject: 'its run cancelled',
  auto_approve: 'its text accepted as final',
}

/**
 * The deadline of a hold and its effect, down to the last level: `in 2 h (2030-…): escalated to @managers, who have 1
 * h; then cancelled`. `now` is in milliseconds since 1970.
 */
export function describeDue(hold: Due, now: number): string {
  return hold.due_at === null ? NEVER : `${whenDue(hold.due_at, now)} (${hold.due_at}): ${whatThen(hold)}`
}

/** `in 2 h`, or `overdue by 3 min`. */
export function whenDue(due_at: string, now: number): string {
  const left = Date.parse(due_at) - now
  return left > 0 ? `in ${durationText(left)}` : `overdue by ${durationText(-left)}`
}

/** The effect of the deadline: `escalated to @managers, who have 1 h; then its run cancelled`; `null` if it has none. */
export function describeEffect(hold: Due): string | null {
  return hold.due_at === null ? null : whatThen(hold)
}

function whatThen(hold: Due): string {
  const why = hold.not_by_time === undefined ? '' : `, and not approved: ${hold.not_by_time}`
  const end = `${(hold.kind === 'input' ? ENDS_OF_INPUT : ENDS)[finalActionOf(hold)]}${why}`
  const levels = hold.on_due === 'escalate' ? hold.escalation.slice(hold.level).map(levelText) : []
  const [first, ...later] = [...levels, end]
  return [levels.length > 0 ? `escalated ${first}` : first, ...later.map(next => `then ${next}`)].join('; ')
}

function levelText({ assignee, seconds }: EscalationLevel): string {
  return `to ${assignee}, who ${assignee.startsWith('@') ? 'have' : 'has'} ${durationText(seconds * 1000)}`
}

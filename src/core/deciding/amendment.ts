import type { Hold } from '../hold/hold.ts'
import type { NewEvent } from '../journal/event.ts'
import { withdrawal } from './withdrawal.ts'

/** A change to an open hold that is no decision of a person: it stays open, or time ends it. */
export type HoldEvent = Extract<
  NewEvent,
  { kind: 'hold.unclear' | 'hold.assigned' | 'hold.reminded' | 'hold.escalated' | 'hold.expired' }
>

/** A change of an open hold that is no decision: a reminder, an escalation, an assignment. */
export interface Amendment {
  readonly hold_id: string
  readonly event: HoldEvent
  /**
   * The hold as the caller saw it, for changes that time makes. If it has moved on since, another caller was first. If
   * it is not due by the store's clock, the caller's clock is ahead. `null` for changes that people make.
   */
  readonly seen: Pick<Hold, 'level' | 'reminded'> | null
}

/**
 * The hold after the change. `null` if it is not open any more, cannot be read, or has moved on since it was seen:
 * nothing was written.
 */
export type Amended = Hold | null

/** The writes that go with an amendment: all of them, in one transaction. */
export interface AppliedAmendment {
  readonly hold: Hold
  /** The other open holds of a run that the deadline ends. */
  readonly withdraws: readonly Hold[]
  readonly events: readonly NewEvent[]
}

/** The run of the hold, as the transaction finds it. */
export interface AmendedRun {
  readonly isRunOver: boolean
  /** The time of the store, in milliseconds since 1970. */
  readonly now: number
  /** Reads the open holds of the run. Only a deadline that ends the run asks for them. */
  readonly openHolds: () => readonly Hold[]
}

type Change = Partial<Pick<Hold, 'status' | 'decision' | 'assignee' | 'level' | 'reminded' | 'due_at'>>

const CHANGES: { readonly [K in HoldEvent['kind']]: (data: Extract<HoldEvent, { kind: K }>['data']) => Change } = {
  'hold.unclear': () => ({}),
  'hold.assigned': ({ assignee }) => ({ assignee }),
  'hold.reminded': ({ number }) => ({ reminded: number }),
  'hold.escalated': ({ level, assignee, due_at }) => ({ level, assignee, due_at }),
  'hold.expired': ({ decision }) => ({ status: 'expired', decision }),
}

/** `null` if the hold is not open any more, cannot be read, or has moved on since it was seen: nothing is to be written. */
export function applyAmendment(
  hold: Hold,
  { event, seen }: Pick<Amendment, 'event' | 'seen'>,
  { isRunOver, now, openHolds }: AmendedRun,
): AppliedAmendment | null {
  const hasMovedOn = seen !== null && (hold.level !== seen.level || hold.reminded !== seen.reminded)
  if (hold.status !== 'open' || hold.unreadable || hasMovedOn || isRunOver) return null
  if (seen !== null && isTooEarly(hold, event, now)) return null
  const change = CHANGES[event.kind] as (data: HoldEvent['data']) => Change
  const withdraws = endsRun(event) ? openHolds().filter(({ id }) => id !== hold.id) : []
  const withdrawn = withdraws.map(other => withdrawal(other, 'a deadline ended the run'))
  return { hold: { ...hold, ...change(event.data) }, withdraws, events: [event, ...withdrawn] }
}

function isTooEarly({ due_at, remind_at, reminded }: Hold, event: HoldEvent, now: number): boolean {
  const time = event.kind === 'hold.reminded' ? remind_at[reminded] : due_at
  return Date.parse(time ?? '') > now
}

function endsRun(event: HoldEvent): boolean {
  return event.kind === 'hold.expired' && event.data.ends_run === true
}

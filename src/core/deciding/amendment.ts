import type { Hold } from '../hold/hold.ts'
import type { NewEvent } from '../journal/event.ts'

/** A change to an open hold that is no decision of a person: it stays open, or time ends it. */
export type HoldEvent = Extract<
  NewEvent,
  { kind: 'hold.unclear' | 'hold.assigned' | 'hold.reminded' | 'hold.escalated' | 'hold.expired' }
>

/** A change of an open hold that is no decision: a reminder, an escalation, an assignment. */
export interface Amendment {
  readonly hold_id: string
  readonly event: HoldEvent
  /** The hold as the caller saw it, if that matters: if it has moved on since, another caller was first. */
  readonly seen: Pick<Hold, 'level' | 'reminded'> | null
}

/** The hold as it is then. `null` if it is not open any more, or has moved on since it was seen: nothing was written. */
export type Amended = Hold | null

type Change = Partial<Pick<Hold, 'status' | 'decision' | 'assignee' | 'level' | 'reminded' | 'due_at'>>

const CHANGES: { readonly [K in HoldEvent['kind']]: (data: Extract<HoldEvent, { kind: K }>['data']) => Change } = {
  'hold.unclear': () => ({}),
  'hold.assigned': ({ assignee }) => ({ assignee }),
  'hold.reminded': ({ number }) => ({ reminded: number }),
  'hold.escalated': ({ level, assignee, due_at }) => ({ level, assignee, due_at }),
  'hold.expired': ({ decision }) => ({ status: 'expired', decision }),
}

/** The hold as the amendment makes it; `null` if it is not open any more, or has moved on since it was seen. */
export function applyAmendment(
  hold: Hold,
  { event, seen }: Pick<Amendment, 'event' | 'seen'>,
  { isRunOver }: { readonly isRunOver: boolean },
): Amended {
  const hasMovedOn = seen !== null && (hold.level !== seen.level || hold.reminded !== seen.reminded)
  if (hold.status !== 'open' || hasMovedOn || isRunOver) return null
  const change = CHANGES[event.kind] as (data: HoldEvent['data']) => Change
  return { ...hold, ...change(event.data) }
}

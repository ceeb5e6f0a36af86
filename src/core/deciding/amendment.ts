import type { Hold } from '../hold/hold.ts'
import type { NewEvent } from '../journal/event.ts'

/** A change to an open hold that is no decision of a person: it stays open, or time ends it. */
export type HoldEvent = Extract<
  NewEvent,
  { kind: 'hold.unclear' | 'hold.assigned' | 'hold.reminded' | 'hold.escalated' | 'hold.expired' }
>

export interface Amendment {
  readonly hold_id: string
  readonly event: HoldEvent
  /** The hold as the caller saw it, if that matters: if it has moved on since, another caller was first. */
  readonly seen: Pick<Hold, 'level' | 'reminded'> | null
}

/** The hold as it is then. `null` if it is not open any more, or has moved on since it was seen: nothing was written. */
export type Amended = Hold | null

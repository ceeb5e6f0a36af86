import type { EscalationLevel, FinalAction, OnDue } from './due.ts'

/** How long people have to decide. */
export interface DueOptions {
  /** From the opening of the hold; `null` never. */
  readonly seconds?: number | null
  /** Default: `escalate` if there is an escalation, otherwise `cancel`. */
  readonly onDue?: OnDue
  /** Reminders, in seconds from the opening of the hold. */
  readonly remindAfter?: readonly number[]
  /** The first to be asked: a person, or `@group`. */
  readonly assignee?: string | null
  readonly escalation?: readonly EscalationLevel[]
  /** The action after the last level. Default: `cancel`. */
  readonly finally?: FinalAction
}

/** The deciders: names and `@groups`, or an object with further conditions. */
export type DecidersOptions =
  | readonly string[]
  | {
      readonly people?: readonly string[]
      /** The requester may not release the hold. */
      readonly notRequester?: boolean
      /** How many different people must approve. Default: 1. */
      readonly quorum?: number
      /** The deciders may edit a call to do more than was asked. Default: only operators of a server. */
      readonly mayEdit?: boolean
    }

import type { EscalationLevel, FinalAction, OnDue } from './due.ts'

/** How long people have to decide. */
export interface DueOptions {
  /** From the opening of the hold; `null` never. */
  readonly seconds?: number | null
  /** Default: `cancel`; `escalate` where there is an escalation. */
  readonly onDue?: OnDue
  /** Reminders, in seconds from the opening of the hold. */
  readonly remindAfter?: readonly number[]
  /** Who is asked first: a person, or `@group`. */
  readonly assignee?: string | null
  readonly escalation?: readonly EscalationLevel[]
  /** What the last level ends with. Default: `cancel`. */
  readonly finally?: FinalAction
}

/** Who may decide: names and `@groups`, or with more to say. */
export type DecidersOptions =
  | readonly string[]
  | {
      readonly people?: readonly string[]
      /** Whoever asked for what is held may not release it. */
      readonly notRequester?: boolean
      /** How many different people must approve. Default: 1. */
      readonly quorum?: number
    }

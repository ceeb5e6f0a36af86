/** The act about which a hold asks: in words, for what task, and how much care a decision wants. */

/**
 * `ordinary`: one key decides. `high`: it deletes, leaves the machine, or a rule or its tool says so. `override`: policy
 * says never to it, it was refused again and again, or nobody knows whether it happened.
 */
export type Risk = (typeof RISKS)[number]

export const RISKS = ['ordinary', 'high', 'override'] as const

/** The task of a run: what its first message asked for, and where it works. */
export interface AskedTask {
  /** The first message, in one visible line of at most 280 characters. */
  readonly text: string
  /** The author of that message; `null` if it had none. */
  readonly by: string | null
  /** The directory of the run; `~` is the home of the person as whom it runs. */
  readonly directory: string
  /** The branch that was checked out there; `null` if it is no working tree. */
  readonly branch: string | null
  /** The name of the machine. */
  readonly host: string
}

export interface Act {
  /**
   * The act of the call in words, as its tool titles it: one visible line of at most 120 characters. Left out if the tool
   * has no title for it.
   */
  readonly title?: string
  /** Left out of older holds. */
  readonly task?: AskedTask
  /** Left out if it is `ordinary`. */
  readonly risk?: Risk
  /** What the act deletes, or where it leads beyond this machine, a phrase each: `deletes build`. Left out if nothing is known. */
  readonly reaches?: readonly string[]
}

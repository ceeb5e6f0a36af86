/** How much people are asked, how they answer, and which standing approvals would have spared them. Plain JSON. */
import type { Amount } from '../count.ts'
import type { JsonObject } from '../text/json.ts'

/** The time of a report. */
export interface LoadQuery {
  /** ISO time. Default: 7 days before `until`. */
  readonly since?: string
  /** ISO time. Default: now. */
  readonly until?: string
}

/** A rule, as a standing approval would have it. */
export interface ReplayedRule {
  readonly agent: string
  readonly tool: string
  /** Argument name to glob. */
  readonly match: Readonly<Record<string, string>>
  /** Over so many of the newest approvals. Default: 20, at most 500. */
  readonly last?: number
}

/** How long people took, in seconds from the opening of a hold to its decision. */
export interface Durations {
  readonly count: Amount
  readonly median: number
  /** Nine of ten took no longer. */
  readonly p90: number
  readonly longest: number
  /** `up_to` is `null` for all that took longer. */
  readonly spread: readonly { readonly up_to: number | null; readonly count: Amount }[]
}

/** Holds that ask for a second look: how many, and the newest of them. */
export interface Noteworthy {
  readonly count: Amount
  /** At most 20. */
  readonly hold_ids: readonly string[]
}

/** Opened and decided within one piece of time. */
export interface LoadBucket {
  /** ISO time of its start. */
  readonly at: string
  readonly opened: Amount
  readonly decided: Amount
}

/** The decisions and votes of one person. */
export interface PersonLoad {
  readonly person: string
  readonly decided: Amount
  readonly approved: Amount
  readonly rejected: Amount
  readonly answered: Amount
  /** Decisions in an hour, over the hours in which there were any. */
  readonly per_hour: number
  /** Decisions in the busiest hour. */
  readonly busiest_hour: Amount
  readonly seconds_to_decide: Durations
  readonly approved_within_2s: Amount
  readonly approved_not_to_the_end: Amount
  readonly approved_unseen: Amount
  /** In the buckets of `over_time`. */
  readonly decided_over_time: readonly Amount[]
}

/** The holds of one tool; `null` stands for the text pauses of agents. */
export interface ToolLoad {
  readonly tool: string | null
  readonly opened: Amount
  readonly approved: Amount
  readonly rejected: Amount
  readonly answered: Amount
  readonly expired: Amount
  /** `null` if none was decided. */
  readonly seconds_to_decide: Durations | null
  /** In the buckets of `over_time`. */
  readonly opened_over_time: readonly Amount[]
}

/** An approval that a rule covers, and that a person refused. */
export interface RefusedAnyway {
  readonly hold_id: string
  readonly decided_by: string
  readonly reason: string | null
}

/** A rule as it would have been: the calls that a standing approval like it covers. */
export interface RuleReplay {
  /** The calls that it covers and people approved. */
  readonly spared: Amount
  /** The approvals that it was replayed over: the newest ones of its agent and tool. */
  readonly of: Amount
  /** Covered too, but refused. */
  readonly rejected: readonly RefusedAnyway[]
}

/** A standing approval that is worth a thought. Holdpoint gives none by itself. */
export interface SparingRule extends RuleReplay {
  readonly agent: string
  readonly tool: string
  /** As in a grant: patterns by argument, or `null` if exactly `arguments` are covered. */
  readonly match: Readonly<Record<string, string>> | null
  readonly arguments: JsonObject | null
}

/** The load on people between two times. */
export interface LoadReport {
  /** ISO times. */
  readonly since: string
  readonly until: string
  readonly holds: {
    readonly opened: Amount
    readonly decided: Amount
    readonly expired: Amount
    readonly withdrawn: Amount
    /** Opened in this time, and still open. */
    readonly open: Amount
  }
  /** `null` if none was decided. */
  readonly seconds_to_decide: Durations | null
  /** Their deadline passed, and no person was ever shown them. */
  readonly expired_unseen: Noteworthy
  /** Approved within 2 seconds of being shown to the same person. */
  readonly approved_within_2s: Noteworthy
  /** Approved by a person who was shown them, but never, as far as Holdpoint was told, to the end. */
  readonly approved_not_to_the_end: Noteworthy
  /** Approved by a person to whom they were not shown by Holdpoint. */
  readonly approved_unseen: Noteworthy
  readonly over_time: { readonly bucket_seconds: Amount; readonly buckets: readonly LoadBucket[] }
  /** The busiest first. */
  readonly people: readonly PersonLoad[]
  /** The most asked first. */
  readonly tools: readonly ToolLoad[]
  /** Those that spare the most first; those that would have let refused calls pass last. */
  readonly rules: readonly SparingRule[]
}

/** Rules that would have spared people approvals, each with what speaks for it. Plain JSON. */
import type { Amount } from '../count.ts'
import type { PolicyRule } from '../policy/policy.ts'
import type { JsonObject } from '../text/json.ts'

/** The approvals that suggestions are drawn from. */
export interface SuggestionQuery {
  /** ISO time. Default: 90 days ago. What people refused counts from the beginning. */
  readonly since?: string
}

/** An approval that a rule would have spared. */
export interface SparedApproval {
  readonly hold_id: string
  readonly arguments: JsonObject
  readonly decided_by: string
  /** ISO time. */
  readonly decided_at: string
}

/** P1: no call that it covers was ever refused, edited or cancelled by a person, as far as the store still knows. */
export interface SuggestedRule {
  readonly agent: string
  readonly rule: PolicyRule
  /** The calls that it covers and that people approved in this time. */
  readonly spared: Amount
  /** The approvals of this agent and tool that people were asked for in this time, back to the 500th that was given. */
  readonly of: Amount
  /** The same of all time: it was replayed over these. */
  readonly replayed_over: Amount
  /** Who approved what it covers. */
  readonly approved_by: readonly string[]
  /** The newest of what it would have let pass, at most 5 that differ. */
  readonly lets_pass: readonly SparedApproval[]
}

/** What `policy suggest` and the page of grants show. Nothing is allowed by it. */
export interface Suggestions {
  /** ISO times. */
  readonly since: string
  readonly until: string
  /** Those that spare the most first. */
  readonly suggestions: readonly SuggestedRule[]
}

/** A suggested rule that is to be switched on in the project. */
export interface RuleGrant {
  readonly agent: string
  readonly tool: string
  /** Argument name to glob. */
  readonly match: Readonly<Record<string, string>>
  /** Default: its patterns. */
  readonly name?: string
  /** ISO time. Default: 30 days from now. */
  readonly expires_at?: string | null
}

import type { ContentPart } from '../message/part.ts'
import type { Membership } from '../people/membership.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { GrantInput, NewGrant } from './grant.ts'

/** The five possible decisions about a hold. */
export type DecisionVerdict = (typeof VERDICTS)[number]

export const VERDICTS = ['approve', 'reject', 'edit', 'respond', 'cancel'] as const

/** A person's decision about a hold. Flat, so that it reads the same in code, JSON and SQL. */
export interface Decision {
  /** Idempotency key: the same id again is the same decision again. */
  readonly decision_id: string
  readonly verdict: DecisionVerdict
  /** With `edit`: what to run instead. */
  readonly arguments: JsonObject | null
  /** With `edit`: the digest of the schema that made the arguments what they are. Left out in journals of before. */
  readonly fitted?: string
  /** With `respond`: the answer, or the result of the call. */
  readonly value: Json
  /** With `respond`: the answer, if it is more than text; `value` has it in words then. */
  readonly parts?: readonly ContentPart[]
  /** The id of the message that brought it, unique in its thread; left out if it has none. */
  readonly input_id?: string
  readonly reason: string | null
  /** `sha256:` of what it releases: tool, schema and final arguments (P9); `null` if it releases nothing. */
  readonly digest: string | null
  readonly decided_by: string
  /** The groups of the decider that a provider or proxy proved; left out if there are none. */
  readonly member_of?: Membership
  readonly surface: string
  /** ISO time. */
  readonly at: string
  /** The calls that are allowed without asking from here on; `null` if none are. */
  readonly grant: NewGrant | null
}

/** A decision as a caller gives it. Missing parts count as `null`. */
export type DecisionInput = {
  readonly hold_id: string
  readonly verdict: DecisionVerdict
  readonly decided_by: string
  readonly surface: string
  /** Reserved for decisions that people sign with keys of their own. No proof is checked yet, so one is refused. */
  readonly proof?: Json | undefined
  /** The hold's digest as the decider was shown it. If it is another one, nothing is recorded. Default: not compared. */
  readonly digest?: string | null | undefined
  /** The hold's level of escalation as the decider was shown it, compared in the same way. Default: not compared. */
  readonly level?: number | null | undefined
  /** False if the decider may edit no further than what was asked reaches. Default: true. It is not recorded. */
  readonly editor?: boolean | undefined
  /** Always allow what is approved here. */
  readonly grant?: GrantInput | null | undefined
} & {
  readonly [K in 'arguments' | 'value' | 'parts' | 'input_id' | 'reason' | 'decision_id' | 'member_of']?:
    | Decision[K]
    | undefined
}

/**
 * P1: true for an edit that reaches further than the request, by a person without the right to edit: it releases
 * nothing, and others are asked about it.
 */
export function isForOthers({ verdict, digest }: Pick<Decision, 'verdict' | 'digest'>): boolean {
  return verdict === 'edit' && digest === null
}

/** The reason of the decision by which an idle agent ends, as programs read it. */
export const IDLE_TIMEOUT = 'idle_timeout'

/** The reason of such a decision as people read it; `null` for any other decision. */
export function idleEndText({ verdict, reason }: Pick<Decision, 'verdict' | 'reason'>): string | null {
  return verdict === 'approve' && reason === IDLE_TIMEOUT ? 'ended because it was idle for too long' : null
}

/** The decision in words: an answer itself; otherwise the verdict, and why. */
export function saidInWords(decision: Decision): Json {
  const { verdict, value, arguments: args, reason } = decision
  if (verdict === 'respond') return value
  const word = verdict === 'edit' ? `approve with other arguments: ${JSON.stringify(args)}` : verdict
  return idleEndText(decision) ?? (reason === null ? word : `${word}: ${reason}`)
}

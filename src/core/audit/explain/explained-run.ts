/** The answer to "why did this run": each call of a run, its effects, and what released them. */
import type { Amount } from '../../count.ts'
import type { Decision } from '../../hold/decision.ts'
import type { HoldKind } from '../../hold/hold.ts'
import type { FinalAction } from '../../people/due.ts'
import type { CallOutcome } from '../../run/outcome/call-outcome.ts'
import type { Termination } from '../../run/termination.ts'
import type { Setting } from '../../run/widening.ts'
import type { Json, JsonObject } from '../../text/json.ts'

/** A place in the journal. */
export interface RunReference {
  readonly seq: Amount
  readonly at: string
}

/** One decision about a hold, by a person or by its deadline. */
export interface Ruled extends RunReference {
  readonly hold_id: string
  readonly kind: HoldKind
  readonly verdict: Decision['verdict']
  readonly decided_by: string
  readonly surface: string
  readonly reason: string | null
  readonly digest: string | null
  /** Why the hold was opened. */
  readonly because: string
  /** The earlier approvers, if several people had to approve. */
  readonly votes: readonly (RunReference & Pick<Decision, 'decided_by' | 'surface'>)[]
  /** The deadline's action if the hold expired; `null` if it was decided. */
  readonly on_due: FinalAction | null
  /** True if the decision overruled a policy that says never. */
  readonly override: boolean
}

/** The reason why a tool was allowed to run. */
export type ReleasedBy =
  | ({ readonly by: 'decision' } & Ruled)
  /** A rule of the policy, or the default that stood in for it. */
  | ({ readonly by: 'policy'; readonly rule: string } & RunReference)
  | ({ readonly by: 'grant'; readonly grant_id: string; readonly rule: string } & RunReference)
  /** The agent asked in words for an approval, which covers this one call. */
  | ({
      readonly by: 'approval'
      readonly approval_id: string
      readonly rule: string
      readonly approved: Ruled | null
    } & RunReference)
  /** The tool was cut off, and may run again without harm: its first release still counts. */
  | ({ readonly by: 'repeat'; readonly attempt: Amount } & RunReference)

/** One run of a tool. */
export interface Effect extends RunReference {
  readonly attempt: Amount
  readonly idempotency_key: string
  /** The digest of tool, schema and arguments, as they ran. */
  readonly digest: string | null
  /** `null` must never be: if it is, the effect is among the faults. */
  readonly released: ReleasedBy | null
  /** True if it ran in the thread that this one was forked from, and only its record was copied. */
  readonly copied: boolean
  /** The bundle that brought the call, if it ran in another store and is on record there; `null` if it ran here. */
  readonly imported: string | null
}

/** A call of an explained run: its effects, and what let each of them happen. */
export interface ExplainedCall {
  readonly call_id: string
  readonly tool: string
  /** The arguments as the model wrote them. */
  readonly arguments: JsonObject | string
  /** One entry for each time that its tool ran. */
  readonly effects: readonly Effect[]
  /** All decisions about it, in order, releases included. */
  readonly ruled: readonly Ruled[]
  /** Holds without a decision: still open, or withdrawn. */
  readonly undecided: readonly (RunReference & { readonly hold_id: string; readonly withdrawn: string | null })[]
  readonly finished: ExplainedEnd | null
}

/** The end of a call. */
export interface ExplainedEnd extends RunReference {
  readonly status: string
  /** The code of its error; `null` if there is none. */
  readonly error: string | null
  /** The exit of the program that it ran; `null` if it ran none. */
  readonly outcome: CallOutcome | null
}

/** One setting that changed, as it was and as it is. */
export interface ExplainedChange {
  readonly setting: Setting
  readonly was: Json
  readonly is: Json
  /** True if the run could do more by it, or others could decide. */
  readonly widens: boolean
}

/** A resume that changed settings of the run. */
export interface Reconfigured extends RunReference {
  /** `null` if no name was given, and in older journals. */
  readonly by: string | null
  readonly surface: string | null
  readonly changes: readonly ExplainedChange[]
}

/** Why each effect of a run happened: who started it, with which settings, and who decided. */
export interface ExplainedRun {
  readonly run_id: string
  readonly thread_id: string
  readonly agent: string | null
  readonly started: RunReference | null
  /** The changes of its settings, in order: those with which it follows the run before on its thread, too. */
  readonly configured: readonly Reconfigured[]
  readonly cancelled: (RunReference & { readonly by: string; readonly reason: string | null }) | null
  readonly finished: (RunReference & { readonly termination: Termination }) | null
  readonly calls: readonly ExplainedCall[]
  /** The effects that must never be: each ran without a release, or not as it was approved. */
  readonly faults: readonly (RunReference & { readonly call_id: string; readonly message: string })[]
}

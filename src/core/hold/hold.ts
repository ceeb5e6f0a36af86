import type { Amount } from '../count.ts'
import type { CalledBefore } from '../doubt/called-before.ts'
import type { StartedWork, StillRunning } from '../doubt/started-work.ts'
import type { Deciders } from '../people/deciders.ts'
import type { HoldTiming } from '../people/due.ts'
import type { Preview } from '../preview/preview.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { MaybeUnreadable } from '../unreadable.ts'
import type { Act, Risk } from './act.ts'
import type { Decision } from './decision.ts'

/** The matter of a hold: a call, a question, a text, a call that runs elsewhere, or one that a crash left open. */
export type HoldKind = 'approval' | 'question' | 'input' | 'client_tool' | 'in_doubt'
/** `exported`: its thread moved to another store, in which it can be decided. */
export type HoldStatus = (typeof HOLD_STATUSES)[number]

export const HOLD_STATUSES = ['open', 'decided', 'expired', 'withdrawn', 'exported'] as const

export const RESUME_MODES = [
  /** The call runs, with the arguments that were decided. */
  'replay_tool_call',
  /** The decision's value is the result; the tool does not run. */
  'use_decision_as_tool_result',
  /** The call runs, and its tool is given the decision. */
  'pass_decision_to_tool',
  /** The call had begun, and asked: it goes on, and its tool is given whatever was decided, a refusal to answer too. */
  'continue_call',
] as const
/** The effect of a decision in favour of a held call (docs/design/calls.md#resume-modes). No call begins on a rejection. */
export type ResumeMode = (typeof RESUME_MODES)[number]

/** The default of each kind (docs/design/calls.md#resume-modes). */
export const USUAL_RESUME_MODE: Record<HoldKind, ResumeMode> = {
  approval: 'replay_tool_call',
  question: 'use_decision_as_tool_result',
  input: 'use_decision_as_tool_result',
  client_tool: 'use_decision_as_tool_result',
  in_doubt: 'replay_tool_call',
}

export const HOLD_KINDS: readonly HoldKind[] = Object.keys(USUAL_RESUME_MODE) as HoldKind[]

/** Refusals of the same call earlier in the run. */
export interface RefusedBefore {
  readonly times: Amount
  /** The error that the model got. */
  readonly because: string
  /** The refusal does not depend on an approver, so the call cannot be approved. Left out otherwise. */
  readonly for_good?: true
}

/** A point past which a run may not go without a decision (docs/design/holds.md). */
export interface Hold extends HoldTiming, MaybeUnreadable, Act {
  readonly id: string
  readonly kind: HoldKind
  readonly status: HoldStatus
  readonly run_id: string
  readonly thread_id: string
  /** The agent that waits. */
  readonly agent: string
  /** The call that is held; `null` for an `input` hold. */
  readonly call_id: string | null
  readonly tool: string | null
  /** In full, as they would run. */
  readonly arguments: JsonObject | string | null
  /** `sha256:` of tool, schema, arguments and preview: what an approval releases (P9). */
  readonly digest: string | null
  /** The request, in a sentence. */
  readonly message: string
  readonly context: Json
  /**
   * The facts that the decision depends on, if the tool that asked named them: its next run compares. Left out
   * otherwise.
   */
  readonly basis?: Json
  readonly choices: readonly string[] | null
  readonly response_schema: JsonObject | null
  readonly resume_mode: ResumeMode
  /** JSON Schema of the tool's arguments when the hold opened; `null` if there was no tool. */
  readonly tool_schema: JsonObject | null
  /** The effect of the call, as its tool showed it. Left out if its tool shows nothing. */
  readonly preview?: Preview
  /** True if the tool declares that its effect cannot be taken back. */
  readonly destructive: boolean
  /** True if policy says never to the call: an approval overrides it. Left out otherwise. */
  readonly overrides_never?: true
  /** Time was to approve it (`auto_approve`), and may not for this reason: it cancels. Left out otherwise. */
  readonly not_by_time?: string
  /** The model insists on a call that was refused so often in a row. Left out otherwise. */
  readonly refused_before?: RefusedBefore
  /** The deciders; `null` for everybody but agents. */
  readonly deciders: Deciders | null
  /** The requesters: the authors of the agent's input. */
  readonly requesters: readonly string[]
  readonly opened_at: string
  /**
   * When it was opened by the steady clock, in milliseconds since the machine started, and which start that was. Left out
   * of holds from before this was noted.
   */
  readonly opened_on?: { readonly boot: string; readonly steady_ms: number }
  /** How the same calls of its thread ended before. Left out if it is the first. */
  readonly called_before?: readonly CalledBefore[]
  /** The work that the call in doubt had started. Left out of other holds, and of older ones. */
  readonly started?: StartedWork
  /** The current state of that work. The face adds it each time an open hold is read. */
  readonly still_running?: StillRunning
  /** How many levels it was escalated. */
  readonly level: Amount
  /** How many of its reminders there were. */
  readonly reminded: Amount
  /** Approvals so far, if several people must approve. */
  readonly votes: readonly Decision[]
  readonly decision: Decision | null
}

/** A hold about to be opened: the store adds its place and time. */
export type NewHold = Omit<
  Hold,
  'status' | 'thread_id' | 'opened_at' | 'decision' | 'level' | 'reminded' | 'votes' | 'unreadable' | 'still_running'
> & {
  /** The level of an earlier hold that this one continues: its people stay asked. Default: 0. */
  readonly level?: Amount
}

/** P1: to approve it overrides a policy, or a refusal that was repeated: it is approved by its own name alone. */
export function isOverride({ overrides_never, refused_before }: Partial<Hold>): boolean {
  return overrides_never === true || refused_before !== undefined
}

/** The care that a decision wants; holds of older versions did not keep it. */
export function riskOf(hold: Pick<Hold, 'kind' | 'risk' | 'overrides_never' | 'refused_before'>): Risk {
  return hold.kind === 'in_doubt' || isOverride(hold) ? 'override' : (hold.risk ?? 'ordinary')
}

/** The request about a call, if there is nothing more to say. */
export function usualMessage(tool: string): string {
  return `May ${tool} run?`
}

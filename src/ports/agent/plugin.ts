import type { Message } from '../../core/journal/message.ts'
import type { ContentPart } from '../../core/message/part.ts'
import type { ToolParts } from '../../core/message/tool-parts.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { CallError, ToolCall } from '../../core/run/tool-call.ts'
import type { RunUsage } from '../../core/run/usage/usage.ts'
import type { ModelOptions } from '../../core/settings/model-settings.ts'
import type { Json } from '../../core/text/json.ts'
import type { ModelChoice, RequestedCall, ToolSpec } from './model.ts'
import type { SuspendRequest } from './suspend-request.ts'
import type { ApprovalDemand, Tool } from './tool.ts'

/** A hook's view of the run's current state. A hook returns its wishes: a change in place has no effect. */
export interface HookView {
  readonly run_id: string
  readonly thread_id: string
  readonly profile: Profile
  /** Inference rounds so far. */
  readonly steps: number
  readonly usage: RunUsage
  /** The messages as the model would get them. */
  readonly messages: readonly Message[]
  /** The calls of the step under way. */
  readonly calls: readonly ToolCall[]
  /** The plugin's own persistent state; `null` if it declared none. */
  readonly state: Json
  /** Aborted when the run is asked to stop. */
  readonly signal: AbortSignal
}

/** Any hook may add this to its own result. The journal keeps it in the same transaction as the effect of the hook. */
export interface StateChange {
  readonly setState?: Json
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is typed so by the compiler
export type Nothing = undefined | void

/**
 * The parameters of the next model call. Fields that are left out stay as they are; an option that is `null` is left to
 * the provider.
 */
export interface InferenceParameters extends ModelOptions {
  readonly system: string | null
  readonly tools: readonly ToolSpec[]
  /** Asked in place of the run's model, this once. */
  readonly model?: ModelChoice
}

/** With `skip` the model is not asked and the run ends, `behavior_requested`. */
export type BeforeInference = StateChange & (Partial<InferenceParameters> | { readonly skip: true })

/** `calls` takes the place of those that the model asked for; `end` ends the run, `behavior_requested`, calls cancelled. */
export type AfterInference = StateChange & {
  readonly calls?: readonly RequestedCall[]
  readonly end?: boolean
}

/**
 * The plugin's ruling on a call. `block` ends the run; `suspend` asks people; `setResult` and `deny` give the result in
 * place of running. The strongest in this order wins, then the first plugin.
 */
export type BeforeToolExecute = StateChange & {
  /** Why, for the record. */
  readonly because?: string
} & (
    | { readonly block: string }
    | { readonly suspend: SuspendRequest }
    | { readonly setResult: Json }
    | { readonly deny: CallError }
    | { readonly block?: never; readonly suspend?: never; readonly setResult?: never; readonly deny?: never }
  )

/** The result for the journal and the model in place of the call's own (its parts too), or in place of its error. */
export type AfterToolExecute = StateChange & { readonly setResult?: Json | ToolParts; readonly setError?: CallError }

/**
 * The result at the end of a step that ended with text alone: a message that makes the run go on. At most 3 times per
 * input.
 */
export type StepEnd = StateChange & { readonly continueWith?: string }

/** A call as a hook sees it, before it runs. */
export interface HeldCall extends ToolCall {
  readonly tool: Tool
  /** The approval with `request_approval` that its tool demands; absent if none. */
  readonly demanded?: DemandedApproval | null
}

/** An approval that the tool of a call demands, and the one that was given. */
export interface DemandedApproval extends ApprovalDemand {
  /** The approval that covers this call; `null` if there is none. */
  readonly given: { readonly hold_id: string; readonly decided_by: string } | null
}

/** The result of a call, as `afterToolExecute` sees it. One of `output` and `error` counts. */
export interface CallResult {
  /** Parts are described in words, their texts in full. */
  readonly output: Json
  /** Left out if the tool returned plain JSON. */
  readonly parts?: readonly ContentPart[]
  readonly error: CallError | null
}

type Hook<Args extends readonly unknown[], Result> = (
  view: HookView,
  ...args: Args
) => Result | Nothing | Promise<Result | Nothing>

/**
 * The eight phases (docs/design/phases.md). A hook that returns anything unknown has failed, as if it threw. If a hook
 * throws before a tool call, the call is denied. If one throws after a tool call, its result is withheld. At the end of a
 * run it is noted. Anywhere else the run ends with an error.
 */
export interface Hooks {
  /** Once per run, not again on resume. */
  runStart?: Hook<[], StateChange>
  stepStart?: Hook<[], StateChange>
  beforeInference?: Hook<[parameters: InferenceParameters], BeforeInference>
  afterInference?: Hook<[answer: { readonly text: string; readonly calls: readonly RequestedCall[] }], AfterInference>
  /** Called for each call before it may run. A released call is checked again, except by the plugin that held it. */
  beforeToolExecute?: Hook<[call: HeldCall], BeforeToolExecute>
  /** Called for each call whose tool ran. */
  afterToolExecute?: Hook<[call: HeldCall, result: CallResult], AfterToolExecute>
  stepEnd?: Hook<[], StepEnd>
  /** Once, however the run ends. */
  runEnd?: Hook<[termination: Termination], StateChange>
}

/** A name and hooks into the phases of a run. */
export interface Plugin {
  /** Unique in its agent. */
  readonly name: string
  /** Declares persistent state, with what it is before a hook sets it. Other state does not survive the process. */
  readonly initialState?: Json
  readonly hooks: Hooks
}

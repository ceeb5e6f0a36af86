import type { EffectRules } from '../../core/effect/effect-rules.ts'
import type { Decision } from '../../core/hold/decision.ts'
import type { ResumeMode } from '../../core/hold/hold.ts'
import type { Message } from '../../core/journal/message.ts'
import type { ToolParts } from '../../core/message/tool-parts.ts'
import type { DecidersSettings } from '../../core/people/deciders.ts'
import type { DueSettings } from '../../core/people/due.ts'
import type { CallFacts } from '../../core/policy/policy.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import type { GraphStore } from '../store/graphs.ts'
import type { GivenPreview, PreviewContext } from './preview.ts'
import type { SuspendRequest } from './suspend-request.ts'
import type { Suspended } from './suspended.ts'

/** The context of a running tool. */
export interface ToolContext {
  /** The run that it works for, and the agent whose run that is. */
  readonly runId: string
  readonly agent: string
  readonly threadId: string
  readonly toolCallId: string
  /** Equal for every attempt of this call: pass it on to systems that can refuse a second effect (P3). */
  readonly idempotencyKey: string
  /**
   * Aborted when the call shall end: the run was cancelled, or its process stops. A tool that is stopped before any effect
   * throws `new ToolError('TOOL_CALL_NOT_BEGUN', …)`: if its process stops, the next one runs the call. One that cannot know
   * what came of an earlier attempt throws `new ToolError('TOOL_CALL_IN_DOUBT', …)`: people are asked.
   */
  readonly abortSignal: AbortSignal
  /** The conversation up to the answer that asked for this call; that answer is not in it. */
  readonly messages: readonly Message[]
  /** The run's own directory, absolute. */
  readonly workdir: string
  /** The store in which `holdpoint/langgraph` keeps the state of graphs. */
  readonly graphs: GraphStore
  /** The decision on this call, if its tool resumes by `pass_decision_to_tool`; otherwise `null`. */
  readonly decision: Decision | null
  /** The hold that the call waited for, in addition to `decision`; otherwise `null`. */
  readonly suspended: Suspended | null
  /** The real place that its arguments led to when policy ruled on the call; a tool must work there or not at all. */
  readonly leadsTo?: string
  /** The names of all tools of the agent. */
  readonly toolNames?: readonly string[]
  /**
   * Stops here and asks people; the call is suspended, even if the tool goes on. Default of `resumeMode` here:
   * `pass_decision_to_tool`, so the tool runs again and gets the decision and the context.
   */
  suspend(request: SuspendRequest): never
  /** False if the run pauses for no question: then a tool that needs an answer does without, and `suspend` fails the call. */
  readonly mayAsk: boolean
  /**
   * Set if the policy speaks of boxes. Over an `overlay` the tool has no effect that these rules do not permit; on the
   * `directory` itself it works without records, keys and sockets in sight.
   */
  readonly boxed?: BoxedRules
  /** Adds a sentence to the warnings of the run, for the person who started it. */
  warn(message: string): void
  /**
   * Shows output while the tool runs, to people who follow the run. The model gets the result alone. At most 1 MiB of a
   * call is shown; nothing is shown if a plugin of the agent looks at results first (`afterToolExecute`).
   */
  report(part: ToolReport): void
}

/** The rules on the effect of a boxed call. */
export interface BoxedRules {
  readonly over: 'overlay' | 'directory'
  readonly effects: EffectRules
  /** Effects are reported that people would be asked about. */
  readonly observes: boolean
}

/** A piece of output. */
export interface ToolReport {
  readonly delta: string
  /** The output that it belongs to, if the tool has several: `stdout`, say. */
  readonly stream?: string
}

/** A tool's question to a person, in place of running. The answer becomes the result of the call. */
export interface ToolQuestion {
  readonly message: string
  readonly context: Json
  readonly choices: readonly string[] | null
  readonly response_schema: JsonObject | null
  /** Default: `question`. `client_tool` if a program gives the result of a call that runs elsewhere. */
  readonly kind?: 'question' | 'client_tool' | 'approval'
}

/** The exact arguments of the `request_approval` that is demanded. */
export interface ApprovalDemand {
  readonly action: string
  readonly details: Json
}

/** The arguments of a call after their check, or what is wrong with them. */
export type Validated =
  | {
      readonly ok: true
      readonly value: JsonObject
      /** `value` is as it was written, since JSON cannot hold what the schema makes of it: the tool checks it again. */
      readonly asWritten?: true
    }
  | { readonly ok: false; readonly issues: string }

/** A tool as the runtime calls it. `defineTool` makes one. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments, as the model is shown it. */
  readonly inputSchema: JsonObject
  /**
   * A description from elsewhere, in addition to the schema, which may change while a call waits. An approval binds it
   * like the schema (P9).
   */
  readonly definition?: JsonObject
  /** Optional arguments that a later version added: what was asked about before them fits without them. */
  readonly addedArguments?: readonly string[]
  /** The version of the tool's code: an approval binds it (P9). Non-empty. */
  readonly version?: string
  /** The digest of the tool's code, which an approval binds if there is no `version`. Asked for when it is needed. */
  code?(): string
  /** Re-running it with the same arguments and idempotency key has no second effect. */
  readonly idempotent: boolean
  readonly destructive: boolean
  /**
   * The act in words, for people who decide about it: `Refund order 7: 41 EUR`. It answers at once and without any effect.
   * One line is shown, of at most 120 characters. If it throws, its name and arguments are shown.
   */
  title?(args: JsonObject): string
  /** How much care a decision about the call wants. Default: `ordinary`. If it throws: `high`. */
  risk?(args: JsonObject): 'ordinary' | 'high'
  /**
   * People may always allow calls of it, although it is destructive: policy sees from its arguments everything that it
   * does. Default: no.
   */
  readonly grantable?: boolean
  /** A tool that does the same: what policy forbids or asks about there, it does here, unless it names this one. */
  readonly sameAs?: string
  /** The effect of a decision in favour of a held call. Default: `replay_tool_call`. */
  readonly resumeMode?: ResumeMode
  /** How long people have to decide about its calls. */
  readonly due?: DueSettings
  /** The deciders about its calls. */
  readonly deciders?: DecidersSettings
  /** The tool's own ruling on whether a person must approve; `null`: it has none. */
  needsApproval(args: JsonObject): boolean | null | Promise<boolean | null>
  /**
   * The approval with `request_approval` in this run that this call needs before it runs; each approval covers one
   * call. `null` if none is needed.
   */
  demandsApproval?(args: JsonObject): ApprovalDemand | null | Promise<ApprovalDemand | null>
  /**
   * `issues` is one line a model or a person can act on. `value` is what the schema makes of them: people are shown
   * it, and it runs. It is asked for once for a call.
   */
  validate(args: JsonObject): Validated | Promise<Validated>
  /**
   * The reading of these arguments for policy; without it they are read as written. Relative paths in rules refer to
   * `rulesFrom`. It is the `workdir` itself, except for a sub-agent that works elsewhere than its parent.
   */
  inspect?(args: JsonObject, workdir: string, rulesFrom?: string): CallFacts | Promise<CallFacts>
  /**
   * Shows what the call would do, made without any effect when people are asked. Their approval binds it. It is made
   * again before the call starts: if its basis differs then, people are asked anew. If it throws, they are informed.
   */
  preview?(args: JsonObject, context: PreviewContext): GivenPreview | PromiseLike<GivenPreview>
  /**
   * True if `inspect` may find by now that a person must look, because paths may lead elsewhere since. Cheap. Default:
   * yes.
   */
  mayNeedPersonNow?(args: JsonObject, workdir: string): boolean
  /** Of a tool that can run in a box: `null` if this machine has one, otherwise why it has none. */
  noBox?(): Promise<string | null>
  /** A tool that has it never runs: its calls wait for an answer. */
  asks?(args: JsonObject): ToolQuestion
  /**
   * The result is JSON, or `toolParts([…])` if it has images or files. A call whose tool returned has succeeded: what the
   * journal cannot hold of its result is left out, with a note. @throws ToolError or anything else: the call failed, with
   * that message.
   */
  execute(args: JsonObject, context: ToolContext): Promise<Json | ToolParts>
}

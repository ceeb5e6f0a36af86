import type { Json, JsonObject } from '../core/json.ts'
import type { CallFacts } from '../core/policy.ts'

/** What a running tool is told. */
export interface ToolContext {
  readonly toolCallId: string
  /** The same over every attempt of this call: pass it on to whatever can refuse a second effect (P3). */
  readonly idempotencyKey: string
  readonly abortSignal: AbortSignal
  /** The run's own directory, absolute. */
  readonly workdir: string
}

/** What a tool asks a person, in place of running. The answer becomes the result of the call. */
export interface ToolQuestion {
  readonly message: string
  readonly context: Json
  readonly choices: readonly string[] | null
  readonly response_schema: JsonObject | null
}

export type Validated =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly issues: string }

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments, as the model is shown it. */
  readonly inputSchema: JsonObject
  /** Re-running it with the same arguments and idempotency key has no second effect. */
  readonly idempotent: boolean
  readonly destructive: boolean
  /** The tool's own word on whether a person must approve; `null` says nothing. */
  needsApproval(args: JsonObject): boolean | null | Promise<boolean | null>
  /** `issues` is one line a model or a person can act on. */
  validate(args: JsonObject): Validated | Promise<Validated>
  /** How policy should read these arguments; a tool without it is read as written. */
  inspect?(args: JsonObject, workdir: string): CallFacts | Promise<CallFacts>
  /** A tool that has it never runs: its calls wait for an answer. */
  asks?(args: JsonObject): ToolQuestion
  /** @throws ToolError or anything else: the call failed, with that message. */
  execute(args: JsonObject, context: ToolContext): Promise<Json>
}

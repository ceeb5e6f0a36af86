import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ResumeMode } from '../../core/hold/hold.ts'
import type { DecidersOptions, DueOptions } from '../../core/people/people-options.ts'
import type { CallFacts } from '../../core/policy/policy.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { GivenPreview, PreviewContext } from '../../ports/agent/preview.ts'
import type { ApprovalDemand, ToolContext } from '../../ports/agent/tool.ts'
import type { AiSdkSchema, ToolSchema } from './tool-schema.ts'

/** The arguments of `execute`: the schema's own output type, or an open record for JSON Schema. */
export type ToolArguments<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Schema extends AiSdkSchema<infer Output> | (() => AiSdkSchema<infer Output>)
    ? Output
    : // biome-ignore lint/suspicious/noExplicitAny: JSON Schema tells the compiler nothing
      Record<string, any>

export type Demand = Pick<ApprovalDemand, 'action'> & Partial<ApprovalDemand>

/** The definition of a tool. An unknown option is refused. */
export interface ToolOptions<Schema extends ToolSchema> {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string
  /** Models choose by it. */
  readonly description?: string
  /** JSON Schema, or a schema of zod, arktype, the AI SDK, or of valibot by its converter (docs/design/library.md#schemas-of-tools). */
  readonly inputSchema: Schema
  /**
   * The version of what the tool does: any text. An approval binds it: if it changed since, the call is asked about anew.
   * Default: a digest of the text of `execute`, and of the module that Holdpoint loaded the agent from. Neither shows a
   * change in other modules, in variables outside of `execute`, or in configuration: give a version to say that.
   */
  readonly version?: string
  /** Whether a person must approve. For a function only `false` means no: one that throws means yes. */
  needsApproval?: boolean | ((args: ToolArguments<Schema>) => boolean | PromiseLike<boolean>)
  /** Re-running with the same arguments and idempotency key has no second effect. Default: false. */
  readonly idempotent?: boolean
  /** Default: false. */
  readonly destructive?: boolean
  /**
   * The act in words, for people who decide about it: `Refund order 7: 41 EUR`. It answers at once and without any effect.
   * One line is shown, of at most 120 characters. Default, and if it throws: the name and the arguments.
   */
  title?(args: ToolArguments<Schema>): string
  /**
   * How much care a decision about the call wants: one that is `high` is confirmed by a second step. Default: `ordinary`.
   * A function that throws means `high`.
   */
  risk?: 'ordinary' | 'high' | ((args: ToolArguments<Schema>) => 'ordinary' | 'high')
  /**
   * The effect of a decision in favour of a held call. `replay_tool_call` (default) runs the call.
   * `use_decision_as_tool_result` makes the decision its result. `pass_decision_to_tool` runs it with
   * `context.decision`; so does `continue_call`, which gives it also a refusal to answer a question.
   */
  readonly resumeMode?: ResumeMode
  /** How long people have to decide about its calls. Default: the agent's, else the project's, else without limit. */
  readonly due?: DueOptions
  /** The deciders of its calls. Default: those of the agent, else of the project, else everybody but the agent. */
  readonly deciders?: DecidersOptions
  /**
   * The action and details (default: `null`) that a person must have approved with `request_approval` in the same run
   * before this call may run. They must be exactly these. Each approval covers one call, in place of an approval of the
   * call itself. `null` if none is needed. If this throws, the call is denied.
   */
  demandsApproval?(args: ToolArguments<Schema>): Demand | null | PromiseLike<Demand | null>
  /**
   * Shows what the call would do: a text, or parts (text, diff, table, image, link). It is made when people are asked,
   * within 10 seconds, and must have no effect. An approval binds it: it is made again before the call starts, and if
   * its `basis` differs by then, people are asked again. Default of the basis: the parts. If it throws, people see
   * that.
   */
  preview?(args: ToolArguments<Schema>, context: PreviewContext): GivenPreview | PromiseLike<GivenPreview>
  /** How policy should read these arguments, which are the JSON as written. */
  inspect?(args: JsonObject, workdir: string, rulesFrom?: string): CallFacts | Promise<CallFacts>
  /**
   * Does the work. The result must be JSON, or `toolParts([…])` if it has images or files. `undefined` becomes `null`,
   * and of an async iterable the last value counts.
   * If it throws, the model sees the error of this call. To ask a person halfway, call `context.suspend`.
   */
  execute(args: ToolArguments<Schema>, context: ToolContext): unknown
}

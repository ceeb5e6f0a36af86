import type { StandardSchemaV1 } from '@standard-schema/spec'
import { afterwards, orElse } from '../../async/afterwards.ts'
import { ToolError } from '../../core/errors.ts'
import { RESUME_MODES, type ResumeMode } from '../../core/hold/hold.ts'
import { isToolParts, type ToolParts } from '../../core/message/tool-parts.ts'
import { readDeciders } from '../../core/people/deciders.ts'
import { objectionToSelfApproval, readDue } from '../../core/people/due.ts'
import type { DecidersOptions, DueOptions } from '../../core/people/people-options.ts'
import type { CallFacts } from '../../core/policy/policy.ts'
import { understood } from '../../core/settings/understood.ts'
import { isJsonObject, isSameJson, type Json, type JsonObject } from '../../core/text/json.ts'
import type { ApprovalDemand, Tool, ToolContext, Validated } from '../../ports/agent/tool.ts'
import { asJson } from './as-json.ts'
import { codeDigest } from './code-digest.ts'
import { lastValue } from './last-value.ts'
import {
  type AiSdkSchema,
  type ArgumentSchema,
  argumentSchema,
  type Checked,
  invalid,
  type Telling,
  type ToolSchema,
} from './tool-schema.ts'
import { isObject, OF_AI_SDK } from './tool-shape.ts'

/** The arguments of `execute`: the schema's own output type, or an open record for JSON Schema. */
export type ToolArguments<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Schema extends AiSdkSchema<infer Output> | (() => AiSdkSchema<infer Output>)
    ? Output
    : // biome-ignore lint/suspicious/noExplicitAny: JSON Schema tells the compiler nothing
      Record<string, any>

type Demand = Pick<ApprovalDemand, 'action'> & Partial<ApprovalDemand>

/** The definition of a tool. An unknown option is refused. */
export interface ToolOptions<Schema extends ToolSchema> {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string
  readonly description?: string
  readonly inputSchema: Schema
  /**
   * The version of what the tool does: any text. An approval binds it: if it changed since, the call is asked about anew.
   * Default: a digest of the text of `execute`, and of the module that Holdpoint loaded the agent from. Neither shows a
   * change in other modules, in variables outside of `execute`, or in configuration: give a version to say that.
   */
  readonly version?: string
  /** Whether a person must approve. Of a function only `false` says no: one that throws says yes. */
  needsApproval?: boolean | ((args: ToolArguments<Schema>) => boolean | PromiseLike<boolean>)
  /** Re-running with the same arguments and idempotency key has no second effect. Default: false. */
  readonly idempotent?: boolean
  /** Default: false. */
  readonly destructive?: boolean
  /**
   * The effect of a decision in favour of a held call. `replay_tool_call` (default) runs the call.
   * `use_decision_as_tool_result` makes the decision its result. `pass_decision_to_tool` runs it with
   * `context.decision`.
   */
  readonly resumeMode?: ResumeMode
  /** How long people have to decide about its calls. Default: what the agent says, else the project, else without limit. */
  readonly due?: DueOptions
  /** The deciders of its calls. Default: those of the agent, else of the project, else everybody but the agent. */
  readonly deciders?: DecidersOptions
  /**
   * The action and details (default: `null`) that a person must have approved with `request_approval` in the same run
   * before this call may run. They must be exactly these. Each approval covers one call, in place of an approval of the
   * call itself. `null` if none is needed. If this throws, the call is denied.
   */
  demandsApproval?(args: ToolArguments<Schema>): Demand | null | PromiseLike<Demand | null>
  /** How policy should read these arguments, which are the JSON as written. */
  inspect?(args: JsonObject, workdir: string, rulesFrom?: string): CallFacts | Promise<CallFacts>
  /**
   * Does the work. The result must be JSON, or `toolParts([…])` if it has images or files. `undefined` becomes `null`,
   * and of an async iterable the last value counts.
   * If it throws, the model sees the error of this call. To ask a person halfway, call `context.suspend`.
   */
  execute(args: ToolArguments<Schema>, context: ToolContext): unknown
}

// biome-ignore format: one option a line would hide that it is a list
const OPTIONS: Record<keyof ToolOptions<ToolSchema>, true> = {
  name: true, description: true, inputSchema: true, version: true, needsApproval: true, idempotent: true,
  destructive: true, resumeMode: true, due: true, deciders: true, demandsApproval: true, inspect: true, execute: true,
}

/** A tool from a schema and a function. @throws RefusedError `invalid_tool` if the definition cannot work. */
export function defineTool<const Schema extends ToolSchema>(options: ToolOptions<Schema> & Telling<Schema>): Tool {
  checkOptions(options as ToolOptions<ToolSchema>)
  const { name, version, resumeMode } = options
  const schema = argumentSchema(name, options.inputSchema)
  return {
    name,
    description: options.description ?? '',
    inputSchema: schema.jsonSchema,
    ...(version === undefined ? { code: codeDigest(() => String(options.execute)) } : { version }),
    idempotent: options.idempotent ?? false,
    destructive: options.destructive ?? false,
    ...(resumeMode && { resumeMode }),
    ...peopleOf(options),
    needsApproval: args => needsApproval(options, schema, args),
    ...demanding(options, schema),
    validate: args => validate(schema, args),
    ...(options.inspect && { inspect: options.inspect.bind(options) }),
    execute: (args, context) => execute(options, schema, { args, context }),
  }
}

function checkOptions(options: ToolOptions<ToolSchema>): void {
  checkNamed(options)
  const { name, version, resumeMode } = options
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw invalid(String(name), 'models take no such name', 'Use 1 to 64 letters, digits, underscores or hyphens.')
  }
  const unknown = Object.keys(options).find(key => !Object.hasOwn(OPTIONS, key))
  if (unknown !== undefined) {
    const hint = `Known: ${Object.keys(OPTIONS).join(', ')}. ${OF_AI_SDK}`
    throw invalid(name, `it has an option ${JSON.stringify(unknown)}`, hint)
  }
  if (typeof options.execute !== 'function') {
    throw invalid(name, 'it has no execute function', 'Add `async execute(args, context) { … }`.')
  }
  if (version !== undefined && (typeof version !== 'string' || version === '')) {
    throw invalid(name, `its version ${JSON.stringify(version)} is no text`, "Write it as '1', or leave it out.")
  }
  if (resumeMode !== undefined && !RESUME_MODES.includes(resumeMode)) {
    throw invalid(name, `its resumeMode ${JSON.stringify(resumeMode)} is not known`, `Use ${RESUME_MODES.join(', ')}.`)
  }
}

function checkNamed(options: unknown): void {
  if (!isObject(options)) throw invalid('', 'it is no object', 'Write `defineTool({ name, inputSchema, execute })`.')
  if (options['name'] === undefined) throw invalid('', 'it has no name', `Give it one. ${OF_AI_SDK}`)
}

/** The tool's settings about people: deadline and deciders. */
function peopleOf<Schema extends ToolSchema>({
  name,
  due,
  deciders,
}: ToolOptions<Schema>): Pick<Tool, 'due' | 'deciders'> {
  const refusal = (problem: string) => invalid(name, problem, 'Nothing was defined.')
  const read = { due: understood(due, readDue, refusal), deciders: understood(deciders, readDeciders, refusal) }
  const contradiction = objectionToSelfApproval(read.due, read.deciders)
  if (contradiction) throw refusal(contradiction)
  return {
    ...(read.due && { due: read.due }),
    ...(read.deciders && { deciders: read.deciders }),
  }
}

/** A question about approval that cannot be answered is answered with yes. */
function needsApproval<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
  args: JsonObject,
): boolean | null | Promise<boolean | null> {
  const { needsApproval: word = null } = options
  if (typeof word !== 'function') return word
  const ask = (checked: Checked) =>
    !checked.ok || afterwards(word.call(options, checked.output as ToolArguments<Schema>), said => said !== false)
  return orElse(
    () => afterwards(schema.check(args), ask),
    () => true,
  )
}

/** One that throws leaves it open what must be approved, and then the call may not run. */
function demanding<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
): Pick<Tool, 'demandsApproval'> {
  if (!options.demandsApproval) return {}
  return {
    demandsApproval: async args => {
      const checked = await schema.check(args)
      if (!checked.ok) throw new ToolError('INVALID_ARGUMENTS', checked.issues)
      const demand = await options.demandsApproval?.(checked.output as ToolArguments<Schema>)
      if (demand === undefined)
        throw new TypeError('demandsApproval returned nothing; null would say that none is needed')
      return demand && { action: demand.action, details: asJson(demand.details, 'details') }
    },
  }
}

function validate(schema: ArgumentSchema, args: JsonObject): Validated | Promise<Validated> {
  return afterwards(schema.check(args), checked => {
    if (!checked.ok) return checked
    if (checked.output === args) return { ok: true, value: args }
    return afterwards(settled(schema, args, checked.output), (value): Validated => ({ ok: true, value }))
  })
}

/**
 * The arguments that are stored, shown and approved. `execute` checks them once more, so they must then mean the same.
 * If checking the output again changes nothing, it is the output with its defaults. Otherwise (a transform, a Date) it
 * is the arguments as written.
 */
function settled(schema: ArgumentSchema, args: JsonObject, output: unknown): JsonObject | Promise<JsonObject> {
  const value = objectOrNull(output)
  if (value === null) return args
  return afterwards(schema.check(value), again => {
    const same = again.ok ? objectOrNull(again.output) : null
    return same !== null && isSameJson(same, value) ? value : args
  })
}

function objectOrNull(output: unknown): JsonObject | null {
  try {
    const json = asJson(output)
    return isJsonObject(json) ? json : null
  } catch {
    return null
  }
}

async function execute<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
  { args, context }: { args: JsonObject; context: ToolContext },
): Promise<Json | ToolParts> {
  const checked = await schema.check(args)
  if (!checked.ok) throw new ToolError('INVALID_ARGUMENTS', checked.issues)
  const result = await options.execute(checked.output as ToolArguments<Schema>, context)
  const last = await lastValue(result)
  return isToolParts(last) ? last : asJson(last)
}

import { afterwards } from '../../async/afterwards.ts'
import { ToolError } from '../../core/errors.ts'
import { RESUME_MODES } from '../../core/hold/hold.ts'
import type { ToolParts } from '../../core/message/tool-parts.ts'
import { readDeciders } from '../../core/people/deciders.ts'
import { objectionToSelfApproval, readDue } from '../../core/people/due.ts'
import { asFitted } from '../../core/plain/fitted.ts'
import { understood } from '../../core/settings/understood.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { Tool, ToolContext, Validated } from '../../ports/agent/tool.ts'
import { asJson } from './as-json.ts'
import { checkedOnce, demanding, needsApproval, previewing } from './before-execute.ts'
import { codeDigest } from './code-digest.ts'
import { lastValue } from './last-value.ts'
import type { ToolArguments, ToolOptions } from './tool-options.ts'
import { type ArgumentSchema, argumentSchema, invalid, type Telling, type ToolSchema } from './tool-schema.ts'
import { isObject, OF_AI_SDK } from './tool-shape.ts'

// biome-ignore format: one option a line would hide that it is a list
const OPTIONS: Record<keyof ToolOptions<ToolSchema>, true> = {
  name: true, description: true, inputSchema: true, version: true, needsApproval: true, idempotent: true,
  destructive: true, resumeMode: true, due: true, deciders: true, demandsApproval: true, preview: true,
  inspect: true, execute: true,
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
    ...previewing(options, schema),
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

function validate(schema: ArgumentSchema, args: JsonObject): Validated | Promise<Validated> {
  return afterwards(schema.check(args), checked => {
    if (!checked.ok) return checked
    const value = checked.output === args ? args : heldByJson(checked.output)
    return value === null ? { ok: true, value: args, asWritten: true } : { ok: true, value: asFitted(value) }
  })
}

/** `null` if the journal would give something else back, such as a text for a Date. */
function heldByJson(output: unknown): JsonObject | null {
  const json = isHeld(output) ? asJson(output) : null
  return isJsonObject(json) ? json : null
}

function isHeld(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint' && typeof value !== 'symbol'
  if (Array.isArray(value)) return value.every(isHeld)
  const prototype: object | null = Object.getPrototypeOf(value)
  const isRecord = prototype === null || Object.getPrototypeOf(prototype) === null
  return isRecord && !('toJSON' in value) && Object.values(value).every(isHeld)
}

async function execute<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
  { args, context }: { args: JsonObject; context: ToolContext },
): Promise<Json | ToolParts> {
  const checked = await checkedOnce(schema, args)
  if (!checked.ok) throw new ToolError('INVALID_ARGUMENTS', checked.issues)
  const result = await options.execute(checked.output as ToolArguments<Schema>, context)
  // The runtime keeps of it what it can (P11): what is wrong with a result says nothing of the effect.
  return (await lastValue(result)) as Json | ToolParts
}

import { afterwards, isPromised } from '../../async/afterwards.ts'
import { ToolError } from '../../core/errors.ts'
import { RESUME_MODES } from '../../core/hold/hold.ts'
import type { ToolParts } from '../../core/message/tool-parts.ts'
import { readDeciders } from '../../core/people/deciders.ts'
import { objectionToSelfApproval, readDue } from '../../core/people/due.ts'
import { asFitted, isFitted } from '../../core/plain/fitted.ts'
import { understood } from '../../core/settings/understood.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { Tool, ToolContext, Validated } from '../../ports/agent/tool.ts'
import { asJson, lastValue } from './as-json.ts'
import { codeDigest } from './code-digest.ts'
import type { ToolArguments, ToolOptions } from './tool-options.ts'
import {
  type ArgumentSchema,
  argumentSchema,
  type Checked,
  invalid,
  type Telling,
  type ToolSchema,
} from './tool-schema.ts'
import { isObject, OF_AI_SDK } from './tool-shape.ts'

// biome-ignore format: one option a line would hide that it is a list
const OPTIONS: Record<keyof ToolOptions<ToolSchema>, true> = {
  name: true, description: true, inputSchema: true, version: true, needsApproval: true, idempotent: true,
  destructive: true, resumeMode: true, due: true, deciders: true, demandsApproval: true, preview: true,
  title: true, risk: true, inspect: true, execute: true,
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
    ...titling(options, schema),
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
  // P11: the runtime keeps what it can of the result. A faulty result does not mean that there was no effect.
  return (await lastValue(result)) as Json | ToolParts
}

/** Asks a tool about a call before it runs: whether people must approve, what they must have, and what they see. */

/** P9: what the schema made once is what all functions of a tool get. */
function checkedOnce(schema: ArgumentSchema, args: JsonObject): Checked | Promise<Checked> {
  return isFitted(args) ? { ok: true, output: { ...args } } : schema.check(args)
}

/** If the tool's check throws, a person is asked, and shown the error. */
function needsApproval<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
  args: JsonObject,
): boolean | null | Promise<boolean | null> {
  const { needsApproval: word = null } = options
  if (typeof word !== 'function') return word
  const ask = (checked: Checked) =>
    !checked.ok || afterwards(word.call(options, checked.output as ToolArguments<Schema>), said => said !== false)
  return afterwards(checkedOnce(schema, args), ask)
}

/** If the tool's check throws, no one knows what must be approved, and the call may not run. */
function demanding<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
): Pick<Tool, 'demandsApproval'> {
  if (!options.demandsApproval) return {}
  return {
    demandsApproval: async args => {
      const checked = await checkedOnce(schema, args)
      if (!checked.ok) throw new ToolError('INVALID_ARGUMENTS', checked.issues)
      const demand = await options.demandsApproval?.(checked.output as ToolArguments<Schema>)
      if (demand === undefined)
        throw new TypeError('demandsApproval returned nothing; null would say that none is needed')
      return demand && { action: demand.action, details: asJson(demand.details, 'details') }
    },
  }
}

/** Both get the same arguments as `execute`. */
function titling<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
): Pick<Tool, 'title' | 'risk'> {
  const { title, risk } = options
  const given = (args: JsonObject): ToolArguments<Schema> => {
    const checked = checkedOnce(schema, args)
    if (isPromised(checked)) throw new TypeError('its schema answers later')
    if (!checked.ok) throw new ToolError('INVALID_ARGUMENTS', checked.issues)
    return checked.output as ToolArguments<Schema>
  }
  return {
    ...(title && { title: args => title.call(options, given(args)) }),
    ...(risk && { risk: args => (typeof risk === 'function' ? risk.call(options, given(args)) : risk) }),
  }
}

/** The preview gets the same arguments as `execute`. */
function previewing<Schema extends ToolSchema>(
  options: ToolOptions<Schema>,
  schema: ArgumentSchema,
): Pick<Tool, 'preview'> {
  if (!options.preview) return {}
  return {
    preview: async (args, context) => {
      const checked = await checkedOnce(schema, args)
      if (!checked.ok) throw new ToolError('INVALID_ARGUMENTS', checked.issues)
      return options.preview?.(checked.output as ToolArguments<Schema>, context) ?? null
    },
  }
}

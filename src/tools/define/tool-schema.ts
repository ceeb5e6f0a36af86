import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { afterwards, orElse } from '../../async/afterwards.ts'
import { messageOf, type RefusedError } from '../../core/errors.ts'
import { toolRefusals } from '../../core/refusals/tool-refusals.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { jsonPath } from '../../core/text/json-path.ts'
import { asJson } from './as-json.ts'
import { validateJson } from './json-schema.ts'
import { schemaFault, strayProperty } from './schemas/schema-fault.ts'

/** The return type of the AI SDK's `jsonSchema()` and `zodSchema()`. */
export interface AiSdkSchema<Output = unknown> {
  readonly _type: Output
  readonly jsonSchema: unknown
  readonly validate?: ((value: unknown) => AiSdkValidation<Output> | PromiseLike<AiSdkValidation<Output>>) | undefined
}

export type AiSdkValidation<Output> =
  | { readonly success: true; readonly value: Output }
  | { readonly success: false; readonly error: Error }

/** Standard Schema with a JSON Schema face (zod 4, arktype, valibot through its converter), an AI SDK schema, or JSON Schema. */
export type ToolSchema = StandardSchemaV1 | AiSdkSchema | (() => AiSdkSchema) | Readonly<Record<string, unknown>>

/** A schema without a JSON Schema does not compile; the compiler's error explains what to write. */
export type Telling<Schema> = Schema extends StandardSchemaV1
  ? Schema extends StandardJSONSchemaV1
    ? unknown
    : {
        readonly inputSchema: 'This schema cannot tell its JSON Schema. valibot: toStandardJsonSchema(schema) from @valibot/to-json-schema. zod: 4.2 or newer.'
      }
  : unknown

export type Checked = { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly issues: string }

/** A schema of arguments, wherever it came from. */
export interface ArgumentSchema {
  readonly jsonSchema: JsonObject
  check(args: JsonObject): Checked | Promise<Checked>
}

/** @throws RefusedError `invalid_tool` if it yields no JSON Schema of an object. */
export function argumentSchema(tool: string, schema: unknown): ArgumentSchema {
  if (isStandard(schema)) {
    return { jsonSchema: ofAnObject(tool, fromStandard(tool, schema)), check: args => checkStandard(schema, args) }
  }
  // The AI SDK also takes a function that makes the schema when it is first needed.
  const made: unknown = typeof schema === 'function' ? schema() : schema
  const given = isAiSdk(made) ? made.jsonSchema : made
  if (given instanceof Promise)
    throw invalid(tool, 'its JSON Schema is a promise', 'Await it before defining the tool.')
  const jsonSchema = ofAnObject(tool, given)
  const stray = strayProperty(jsonSchema)
  if (stray !== null) {
    throw invalid(
      tool,
      `its inputSchema has ${JSON.stringify(stray)}, which is no keyword of JSON Schema, and would check nothing`,
      "Did you mean { type: 'object', properties: { … } }?",
    )
  }
  const fault = schemaFault(jsonSchema, 'inputSchema')
  if (fault !== null) throw invalid(tool, fault, 'Correct the schema.')
  const validate = isAiSdk(made) ? made.validate : undefined
  if (validate) return { jsonSchema, check: args => checkAiSdk(validate, args) }
  return { jsonSchema, check: args => checkJson(jsonSchema, args) }
}

/** The JSON Schema of a tool's results; `null` if it declares none. */
export function outputSchema(schema: unknown): JsonObject | null {
  try {
    const made: unknown = typeof schema === 'function' && !isStandard(schema) ? schema() : schema
    if (!isStandard(made)) return objectOrNull(isAiSdk(made) ? made.jsonSchema : made)
    const converter = (made['~standard'] as Partial<StandardJSONSchemaV1.Props>).jsonSchema
    return objectOrNull(converter?.output({ target: 'draft-2020-12' }))
  } catch {
    return null
  }
}

function objectOrNull(value: unknown): JsonObject | null {
  const json = asJson(value)
  return isJsonObject(json) && schemaFault(json) === null ? json : null
}

const REMEDIES: Readonly<Record<string, string>> = {
  valibot: 'Wrap it: `toStandardJsonSchema(schema)` from the package @valibot/to-json-schema.',
  zod: 'Use zod 4.2 or newer.',
  arktype: 'Use arktype 2.1.28 or newer.',
}

function fromStandard(tool: string, schema: StandardSchemaV1): unknown {
  const converter = (schema['~standard'] as Partial<StandardJSONSchemaV1.Props>).jsonSchema
  if (!converter) {
    const { vendor } = schema['~standard']
    const hint = REMEDIES[vendor] ?? 'Use a library that implements Standard JSON Schema, or write JSON Schema.'
    throw invalid(tool, `its ${vendor} schema cannot tell its JSON Schema, which models need`, hint)
  }
  try {
    const { $schema: _, ...rest } = converter.input({ target: 'draft-2020-12' })
    return rest
  } catch (thrown) {
    throw invalid(tool, `its schema has no JSON Schema: ${messageOf(thrown)}`, 'Use types that JSON has.', thrown)
  }
}

/** Arguments are always an object, and providers refuse a schema that does not say so. */
function ofAnObject(tool: string, given: unknown): JsonObject {
  const schema = plain(tool, given)
  if (!isJsonObject(schema)) {
    throw invalid(tool, 'its inputSchema is missing or no schema', 'Give a Standard Schema or a JSON Schema object.')
  }
  const type = schema['type'] ?? 'object'
  if (type !== 'object') {
    throw invalid(
      tool,
      `its inputSchema is of type ${JSON.stringify(type)}`,
      'Arguments are an object: wrap it in one.',
    )
  }
  return { ...schema, type }
}

function plain(tool: string, given: unknown): Json {
  try {
    return asJson(given, 'inputSchema')
  } catch (thrown) {
    throw invalid(tool, messageOf(thrown), 'Give a Standard Schema or a JSON Schema object.', thrown)
  }
}

function checkStandard(schema: StandardSchemaV1, args: JsonObject): Checked | Promise<Checked> {
  return orElse(
    () =>
      afterwards(schema['~standard'].validate(args), (result): Checked => {
        if (!result.issues) return { ok: true, output: result.value }
        return { ok: false, issues: result.issues.map(issueLine).join('; ') }
      }),
    uncheckable,
  )
}

async function checkAiSdk(validate: NonNullable<AiSdkSchema['validate']>, args: JsonObject): Promise<Checked> {
  try {
    const result = await validate(args)
    if (result.success) return { ok: true, output: result.value }
    const { issues } = result.error as Error & Partial<StandardSchemaV1.FailureResult>
    const lines = Array.isArray(issues) ? issues.map(issueLine) : [`arguments: ${oneLine(messageOf(result.error))}`]
    return { ok: false, issues: lines.join('; ') }
  } catch (thrown) {
    return uncheckable(thrown)
  }
}

function checkJson(schema: JsonObject, args: JsonObject): Checked | Promise<Checked> {
  return afterwards(validateJson(schema, args), (result): Checked => (result.ok ? { ok: true, output: args } : result))
}

function issueLine({ path = [], message }: StandardSchemaV1.Issue): string {
  const segments = path.map(segment => (typeof segment === 'object' ? segment.key : segment))
  return `${jsonPath('arguments', segments)}: ${oneLine(message)}`
}

/** A check that throws has not passed. */
function uncheckable(thrown: unknown): Checked {
  return { ok: false, issues: `arguments: cannot be checked: ${oneLine(messageOf(thrown))}` }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

// An arktype schema is a function.
function isStandard(schema: unknown): schema is StandardSchemaV1 {
  return ((typeof schema === 'object' && schema !== null) || typeof schema === 'function') && '~standard' in schema
}

function isAiSdk(schema: unknown): schema is AiSdkSchema {
  return typeof schema === 'object' && schema !== null && 'jsonSchema' in schema
}

export function invalid(tool: string, what: string, hint: string, cause?: unknown): RefusedError {
  return toolRefusals.invalidTool(tool, what, hint, cause)
}

import type { PrimitiveSchemaDefinition } from '@modelcontextprotocol/server'
import { answerValue } from '../../../core/hold/answer-value.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/text/json.ts'
import type { Filled, Form } from './form.ts'

type FormQuestion = Pick<Hold, 'kind' | 'choices' | 'response_schema'>

/** Forms are flat: a value that no form can ask for is written as JSON, and checked after the answer. */
export function answerFields({ choices, response_schema: schema }: FormQuestion): Form {
  const fields = fieldsOf(schema)
  if (fields) return fields
  const answer = choices ? { ...ANSWER, enum: [...choices] } : (fieldOf(schema ?? ANSWER) ?? asJson(schema))
  return { type: 'object', properties: { answer: { title: 'Answer', ...answer } }, required: ['answer'] }
}

/** The content of such a form, in the shape that the hold wants. */
export function answerIn(asked: FormQuestion, filled: Filled): Json {
  if (fieldsOf(asked.response_schema)) return { ...filled }
  const answer = filled['answer'] ?? null
  return typeof answer === 'string' ? answerValue(answer, asked) : answer
}

const ANSWER = { type: 'string', title: 'Answer' } as const

function asJson(schema: JsonObject | null): PrimitiveSchemaDefinition {
  return { ...ANSWER, description: `JSON that matches ${JSON.stringify(schema)}` }
}

/** The fields for an object whose properties are all simple. */
function fieldsOf(schema: JsonObject | null): Form | null {
  const properties = schema?.['type'] === 'object' ? schema['properties'] : undefined
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return null
  const fields = Object.entries(properties).map(([name, each]) => [name, fieldOf(each)] as const)
  if (fields.some(([, field]) => field === null)) return null
  const required = schema?.['required']
  return {
    type: 'object',
    properties: Object.fromEntries(fields) as Form['properties'],
    ...(Array.isArray(required) && { required: required.map(String) }),
  }
}

/** The keywords of a form's field (the specification's restricted schemas). */
const SAYS: Readonly<Record<string, readonly string[]>> = {
  string: ['title', 'description', 'minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf', 'default'],
  number: ['title', 'description', 'minimum', 'maximum', 'default'],
  integer: ['title', 'description', 'minimum', 'maximum', 'default'],
  boolean: ['title', 'description', 'default'],
  array: ['title', 'description', 'minItems', 'maxItems', 'items', 'default'],
}
const FORMATS: readonly Json[] = ['email', 'uri', 'date', 'date-time']

/** If the form is laxer than the schema, the whole schema still checks the answer. */
function fieldOf(schema: Json): PrimitiveSchemaDefinition | null {
  const type = isJsonObject(schema) ? schema['type'] : undefined
  const says = typeof type === 'string' && Object.hasOwn(SAYS, type) ? SAYS[type] : undefined
  if (!isJsonObject(schema) || !says || (type === 'array' && !areChoices(schema['items']))) return null
  const said = Object.entries(schema).filter(([key, value]) => says.includes(key) && isSayable(key, value))
  return { type, ...Object.fromEntries(said) } as PrimitiveSchemaDefinition
}

const SAYABLE: Readonly<Record<string, (value: Json) => boolean>> = {
  format: value => FORMATS.includes(value),
  enum: areTexts,
  enumNames: areTexts,
  oneOf: areTitled,
}

function isSayable(key: string, value: Json): boolean {
  return SAYABLE[key]?.(value) ?? true
}

/** Several of a list is the one array that a form can ask for. */
function areChoices(items: Json | undefined): boolean {
  if (!isJsonObject(items)) return false
  return (items['type'] === 'string' && areTexts(items['enum'])) || areTitled(items['anyOf'])
}

function areTexts(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every(each => typeof each === 'string')
}

function areTitled(value: Json | undefined): boolean {
  return (
    Array.isArray(value) &&
    value.every(each => isJsonObject(each) && areTexts([each['const'] ?? null, each['title'] ?? null]))
  )
}

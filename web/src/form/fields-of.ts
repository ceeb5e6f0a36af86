/**
 * The fields for a value that a JSON Schema describes. Pure.
 * F1  A value keeps its type: a number stays a number, and a text that looks like one stays text.
 * F2  What has no field is edited as JSON, never left out: other keywords, values that a field would change, unknown keys.
 */
import type { Json, JsonObject } from '../api/documents.ts'

interface FieldBase {
  /** The key in the object around it. */
  readonly name: string
  /** Its place in the whole value: `address.city`. */
  readonly path: string
  readonly title: string
  readonly hint: string | null
  readonly isRequired: boolean
}

export type FieldShape =
  | { readonly kind: 'text' | 'long-text' | 'boolean' | 'json' }
  | { readonly kind: 'number'; readonly isInteger: boolean }
  | { readonly kind: 'choice'; readonly choices: readonly Json[] }
  | { readonly kind: 'group'; readonly fields: readonly Field[] }

export type Field = FieldBase & FieldShape

const MOST_FIELDS = 100
const DEEPEST = 4
/** A longer text gets room for several lines. */
const LONG_TEXT = 60

/** Keywords that a field would not keep to. The server checks them; a person edits such a value as JSON. */
const BEYOND_FIELDS = ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'patternProperties', 'dependentSchemas']

/** `null` if the value is to be edited as one JSON text. */
export function fieldsOf(schema: JsonObject | null, value: Json): readonly Field[] | null {
  return schema === null ? null : membersOf(schema, value, '', 0)
}

function membersOf(schema: JsonObject, value: Json, path: string, depth: number): readonly Field[] | null {
  const properties = schema['properties']
  if (!isObject(value) || !isObject(properties) || isBeyond(schema) || depth > DEEPEST) return null
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])]
  if (names.length > MOST_FIELDS) return null
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return names.map(name => {
    const property = properties[name]
    const own = isObject(property) ? property : {}
    const at = path === '' ? name : `${path}.${name}`
    return {
      ...{ name, path: at, title: textOf(own['title']) ?? name, hint: textOf(own['description']) },
      isRequired: required.includes(name),
      ...shapeOf(own, value[name], at, depth),
    }
  })
}

const JSON_FIELD: FieldShape = { kind: 'json' }

function shapeOf(schema: JsonObject, value: Json | undefined, path: string, depth: number): FieldShape {
  if (isBeyond(schema)) return JSON_FIELD
  const choices = choicesOf(schema)
  if (choices) return value === undefined || choices.includes(value) ? { kind: 'choice', choices } : JSON_FIELD
  const shape = SHAPES[String(schema['type'])]
  return shape?.(schema, value, path, depth) ?? JSON_FIELD
}

type ShapeOf = (schema: JsonObject, value: Json | undefined, path: string, depth: number) => FieldShape | null

const SHAPES: Readonly<Record<string, ShapeOf>> = {
  string: ({ maxLength }, value) => {
    if (value !== undefined && typeof value !== 'string') return null
    const isLong =
      String(value ?? '').length > LONG_TEXT || String(value ?? '').includes('\n') || Number(maxLength) > 200
    return { kind: isLong ? 'long-text' : 'text' }
  },
  number: (_, value) => (isNumberOrNone(value) ? { kind: 'number', isInteger: false } : null),
  integer: (_, value) => (isNumberOrNone(value) ? { kind: 'number', isInteger: true } : null),
  boolean: (_, value) => (value === undefined || typeof value === 'boolean' ? { kind: 'boolean' } : null),
  object: (schema, value, path, depth) => {
    const fields = membersOf(schema, value ?? null, path, depth + 1)
    return fields && { kind: 'group', fields }
  },
}

function isNumberOrNone(value: Json | undefined): boolean {
  return value === undefined || (typeof value === 'number' && isKept(value))
}

/** Fewer than two are no choice; `null` is hard to tell from nothing. */
function choicesOf({ enum: listed }: JsonObject): readonly Json[] | null {
  if (!Array.isArray(listed) || listed.length < 2) return null
  return listed.every(each => typeof each === 'string' || typeof each === 'number') ? listed : null
}

function isBeyond(schema: JsonObject): boolean {
  return BEYOND_FIELDS.some(keyword => keyword in schema)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** True if JSON and this machine have the same number. */
function isKept(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

export type ReadValue = { readonly value: Json } | { readonly fault: string }

const IS_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** F1. */
export function readNumber(text: string, isInteger: boolean): ReadValue {
  const trimmed = text.trim()
  if (!IS_NUMBER.test(trimmed)) return { fault: 'This is no number.' }
  const value = Number(trimmed)
  if (!isKept(value)) return { fault: 'This number cannot be kept exactly. Write it as text, if the tool takes that.' }
  if (isInteger && !Number.isInteger(value)) return { fault: 'This takes a whole number.' }
  return { value }
}

interface Source {
  readonly source?: string
}

/** F1: a number that would become another one is a fault, and not another number. */
export function readJson(text: string): ReadValue {
  const changed: string[] = []
  const revive = (_: string, value: Json, { source }: Source = {}) => {
    if (typeof value === 'number' && !isKept(value)) changed.push(source ?? String(value))
    return value
  }
  try {
    const value = JSON.parse(text, revive as (key: string, value: Json) => Json) as Json
    if (changed.length === 0) return { value }
    return { fault: `${changed[0]} cannot be kept exactly as a number.` }
  } catch (thrown) {
    return { fault: `This is no JSON: ${thrown instanceof Error ? thrown.message : 'it cannot be read'}.` }
  }
}

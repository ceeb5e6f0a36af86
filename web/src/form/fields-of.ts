/**
 * The fields for a value that a JSON Schema describes. Pure.
 * F1  A value keeps its type: a number stays a number, and a text that looks like one stays text.
 * F2  What has no field is edited as JSON, never left out: other keywords, values that a field would change, unknown keys.
 */
import { jsonPath } from '../../../src/core/text/json-path.ts'
import type { Json, JsonObject } from '../api/documents.ts'
import { localText, type TimeKind } from './local-time.ts'
import { isKept } from './read-value.ts'

interface FieldBase {
  /** The key in the object around it. */
  readonly name: string
  /** The path in the whole value: `address.city`. */
  readonly path: string
  readonly title: string
  readonly hint: string | null
  readonly isRequired: boolean
  /** For those who see it, the fields around it have the label. */
  readonly isLabelHidden?: true
}

export type FieldShape =
  | { readonly kind: 'text' | 'long-text' | 'email' | 'url' | 'boolean' | 'json' | TimeKind }
  | { readonly kind: 'number'; readonly isInteger: boolean }
  | { readonly kind: 'choice'; readonly choices: readonly Json[] }
  /** Several of the choices. */
  | { readonly kind: 'choices'; readonly choices: readonly Json[] }
  /** Values of one kind, in order. */
  | { readonly kind: 'list'; readonly item: FieldShape }
  /** Values of one kind, by keys that a person chooses. */
  | { readonly kind: 'entries'; readonly item: FieldShape }
  | { readonly kind: 'group'; readonly fields: readonly Field[] }

export type Field = FieldBase & FieldShape

const MOST_FIELDS = 100
const DEEPEST = 4
/** A longer text gets room for several lines. */
const LONG_TEXT = 60

/** Keywords that a field would not keep to. The server checks them; a person edits such a value as JSON. */
const BEYOND_FIELDS = ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'patternProperties', 'dependentSchemas']

/** The fields of an object; `null` if the value is to be edited as one JSON text. */
export function fieldsOf(schema: JsonObject | null, value: Json): readonly Field[] | null {
  return schema === null ? null : membersOf(schema, value, { keys: [], depth: 0 })
}

/** The field of a value that is no object: a list, a choice, a number; `null` if it is to be edited as JSON. */
export function soleFieldOf(schema: JsonObject, value: Json | undefined, title: string): Field | null {
  const shape = shapeOf(schema, value, { keys: [], depth: 0 })
  if (shape.kind === 'json' || shape.kind === 'group') return null
  return { name: '', path: '', title, hint: textOf(schema['description']), isRequired: true, ...shape }
}

interface Place {
  readonly keys: readonly string[]
  readonly depth: number
}

function membersOf(schema: JsonObject, value: Json, { keys, depth }: Place): readonly Field[] | null {
  const properties = schema['properties']
  if (!isObject(value) || !isObject(properties) || isBeyond(schema) || depth > DEEPEST) return null
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])]
  if (names.length > MOST_FIELDS) return null
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return names.map(name => {
    const property = Object.hasOwn(properties, name) ? properties[name] : {}
    const own = isObject(property) ? property : {}
    const at = [...keys, name]
    return {
      ...{ name, path: jsonPath('', at).replace(/^\./, ''), title: textOf(own['title']) ?? name },
      hint: textOf(own['description']),
      isRequired: required.includes(name),
      ...shapeOf(own, Object.hasOwn(value, name) ? value[name] : undefined, { keys: at, depth }),
    }
  })
}

const JSON_FIELD: FieldShape = { kind: 'json' }

function shapeOf(schema: JsonObject, value: Json | undefined, place: Place): FieldShape {
  if (isBeyond(schema)) return JSON_FIELD
  const choices = choicesOf(schema)
  if (choices) return value === undefined || choices.includes(value) ? { kind: 'choice', choices } : JSON_FIELD
  const type = String(schema['type'])
  const shape = Object.hasOwn(SHAPES, type) ? SHAPES[type] : undefined
  return shape?.(schema, value, place) ?? JSON_FIELD
}

type ShapeOf = (schema: JsonObject, value: Json | undefined, place: Place) => FieldShape | null

const SHAPES: Readonly<Record<string, ShapeOf>> = {
  string: ({ maxLength, format }, value) => {
    if (value !== undefined && typeof value !== 'string') return null
    const text = value ?? ''
    const kind = FORMATS[String(format)] ?? 'text'
    if (kind !== 'text' && isShownBy(kind, text)) return { kind }
    return { kind: isLong(text) || Number(maxLength) > 200 ? 'long-text' : 'text' }
  },
  number: (_, value) => (isNumberOrNone(value) ? { kind: 'number', isInteger: false } : null),
  integer: (_, value) => (isNumberOrNone(value) ? { kind: 'number', isInteger: true } : null),
  boolean: (_, value) => (value === undefined || typeof value === 'boolean' ? { kind: 'boolean' } : null),
  array: ({ items, prefixItems }, value, place) => {
    if (!isObject(items) || prefixItems !== undefined || !(value === undefined || Array.isArray(value))) return null
    return severalOf(items, value ?? []) ?? listOf('list', items, { values: value ?? [], place })
  },
  object: (schema, value, place) => {
    if (!isObject(schema['properties'])) return entriesOf(schema, value, place)
    const fields = membersOf(schema, value ?? {}, { ...place, depth: place.depth + 1 })
    return fields && { kind: 'group', fields }
  },
}

const FORMATS: Readonly<Record<string, 'email' | 'url' | TimeKind>> = {
  ...{ email: 'email', 'idn-email': 'email', uri: 'url', url: 'url', iri: 'url' },
  ...{ date: 'date', time: 'time', 'date-time': 'date-time' },
}

/** F1: true if the field of this kind shows the text as it is. */
function isShownBy(kind: 'email' | 'url' | TimeKind, text: string): boolean {
  return kind === 'email' || kind === 'url' ? !isLong(text) : localText(kind, text) !== null
}

function isLong(text: string): boolean {
  return text.length > LONG_TEXT || text.includes('\n')
}

function severalOf(items: JsonObject, values: readonly Json[]): FieldShape | null {
  const choices = isBeyond(items) ? null : choicesOf(items)
  const isSet = new Set(values).size === values.length && values.every(each => choices?.includes(each))
  return choices && isSet ? { kind: 'choices', choices } : null
}

function entriesOf(schema: JsonObject, value: Json | undefined, place: Place): FieldShape | null {
  const items = schema['additionalProperties']
  if (!isObject(items) || !(value === undefined || isObject(value))) return null
  return listOf('entries', items, { values: Object.values(value ?? {}), place })
}

interface Listed {
  readonly values: readonly Json[]
  readonly place: Place
}

/** Each value has the same field. If one of them would not fit it, a plainer field has room for all. */
function listOf(kind: 'list' | 'entries', items: JsonObject, { values, place }: Listed): FieldShape | null {
  if (values.length > MOST_FIELDS) return null
  const usual = shapeOf(items, undefined, place)
  const shapes = values.map(each => shapeOf(items, each, place))
  if ([usual, ...shapes].some(shape => !SCALARS.has(shape.kind))) return null
  if (shapes.every(shape => shape.kind === usual.kind)) return { kind, item: usual }
  return { kind, item: { kind: shapes.some(shape => shape.kind === 'long-text') ? 'long-text' : 'text' } }
}

const SCALARS: ReadonlySet<FieldShape['kind']> = new Set([
  ...(['text', 'long-text', 'email', 'url', 'date', 'time', 'date-time', 'number', 'boolean', 'choice'] as const),
])

function isNumberOrNone(value: Json | undefined): boolean {
  return value === undefined || (typeof value === 'number' && isKept(value))
}

/** Fewer than two values are no choice; `null` is hard to tell from nothing. */
function choicesOf({ enum: listed }: JsonObject): readonly Json[] | null {
  if (!Array.isArray(listed) || listed.length < 2) return null
  return listed.every(each => typeof each === 'string' || typeof each === 'number') ? listed : null
}

function isBeyond(schema: JsonObject): boolean {
  return BEYOND_FIELDS.some(keyword => keyword in schema)
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

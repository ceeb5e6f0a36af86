/** Names that a provider takes, for names that it refuses, and the way back. */
import { hashText } from '../../core/run/repetition.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { ProviderRules, SchemaRules } from './provider-rules.ts'
import { mapChildren, mapValues, propertiesOf, sameValueSchemas, schemasIn, textsIn } from './schema-tree.ts'

/** The name itself, or one made of it. It depends on the name alone, so that every request of a thread has the same. */
export function wireToolName(name: string, { toolName, longestToolName: longest }: ProviderRules): string {
  if (toolName.test(name) && name.length <= longest) return name
  return marked(plainName(name, 'tool'), name, longest)
}

/** The id of a call that another provider gave, as this one takes it: call and result get the same. */
export function wireCallId(id: string, { longestCallId: longest }: ProviderRules): string {
  const plain = id.replace(/[^a-zA-Z0-9_-]/g, character => `_${character.charCodeAt(0).toString(16)}_`)
  return plain.length <= longest ? plain : marked(plain, id, longest, WHOLE_HASH)
}

/** By names of properties that the provider refuses: the names that it gets. */
export type Renames = ReadonlyMap<string, string>

export const NO_RENAMES: Renames = new Map()

/** One name for each property name of the whole schema, so that the way back is plain. */
export function propertyRenames(schema: JsonObject, { propertyName, longestProperty: longest }: SchemaRules): Renames {
  if (propertyName === null) return NO_RENAMES
  const names = [...new Set(schemasIn(schema).flatMap(each => Object.keys(propertiesOf(each))))]
  const refused = names.filter(name => !propertyName.test(name) || name.length > longest)
  const taken = new Set(names)
  const renames = new Map<string, string>()
  for (const name of refused) {
    const plain = plainName(name, 'field').slice(0, longest)
    const wire = taken.has(plain) ? marked(plain, name, longest) : plain
    taken.add(wire)
    renames.set(name, wire)
  }
  return renames
}

/** The schema with other names; each such property says its true one. */
export function renamedSchema(schema: JsonObject, renames: Renames): JsonObject {
  if (renames.size === 0) return schema
  const named = (name: string): string => renames.get(name) ?? name
  const inner = mapChildren(schema, child => renamedSchema(child, renames))
  return mapValues(inner, (value, keyword) => {
    if (keyword === 'properties' && isJsonObject(value)) return renamedProperties(value, renames)
    if (keyword === 'required' || keyword === 'propertyOrdering') return textsIn(value).map(named)
    if (keyword !== 'dependentRequired' || !isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, list]) => [named(name), textsIn(list).map(named)]))
  })
}

function renamedProperties(properties: JsonObject, renames: Renames): JsonObject {
  const entries = Object.entries(properties).map(([name, schema]): [string, Json] => {
    const wire = renames.get(name)
    if (wire === undefined) return [name, schema]
    const { description, ...rest } = isJsonObject(schema) ? schema : {}
    const words = [`The field ${JSON.stringify(name)}.`, description].filter(Boolean).join(' ')
    return [wire, { ...rest, description: words }]
  })
  return Object.fromEntries(entries)
}

/** The way from names that the provider took to the true ones, or there. */
export interface Renaming {
  readonly names: Renames
  /** The schema as it was sent. */
  readonly sent: JsonObject
}

/** Renames the fields that the schema declares at their places; a free object keeps its keys. */
export function renamedFields(value: Json, { names, sent }: Renaming): Json {
  return names.size === 0 ? value : renamedBy(value, [sent], names)
}

function renamedBy(value: Json, given: readonly Json[], names: Renames): Json {
  const schemas = given.flatMap(sameValueSchemas)
  if (schemas.length === 0) return value
  if (Array.isArray(value)) return value.map((item, index) => renamedBy(item, itemSchemas(schemas, index), names))
  if (!isJsonObject(value) || EXACT_JSON.isRawJSON(value)) return value
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => {
    const other = names.get(key) ?? key
    const declared = schemas.flatMap(schema => {
      const properties = propertiesOf(schema)
      return [key, other].flatMap(name => (Object.hasOwn(properties, name) ? (properties[name] ?? []) : []))
    })
    if (declared.length > 0) return [other, renamedBy(inner, declared, names)]
    return [
      key,
      renamedBy(
        inner,
        schemas.flatMap(schema => schema['additionalProperties'] ?? []),
        names,
      ),
    ]
  })
  return Object.fromEntries(entries)
}

function itemSchemas(schemas: readonly JsonObject[], index: number): Json[] {
  return schemas.flatMap(({ items, prefixItems }) => [
    items ?? [],
    Array.isArray(prefixItems) ? (prefixItems[index] ?? []) : [],
  ])
}

/** The text of an object with its fields renamed; one that is no object stays as it is. */
export function renamedText(text: string, renaming: Renaming): string {
  try {
    const value: Json = JSON.parse(text, keepNumber)
    return isJsonObject(value) ? JSON.stringify(renamedFields(value, renaming)) : text
  } catch {
    return text
  }
}

/** JSON with the digits of numbers as they were written, which the types of TypeScript do not have yet. */
const EXACT_JSON = JSON as unknown as { rawJSON(digits: string): Json; isRawJSON(value: unknown): boolean }

/** P9: a number that JavaScript cannot hold is still the one that the model wrote. */
function keepNumber(_key: string, value: unknown, written?: { readonly source?: string }): unknown {
  return typeof value === 'number' && written?.source !== undefined ? EXACT_JSON.rawJSON(written.source) : value
}

export function reversed(names: Renames): Renames {
  return new Map([...names].map(([name, other]) => [other, name]))
}

/** ASCII letters, digits and underscores: every provider takes them. */
function plainName(name: string, empty: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_]+/g, '_').replace(/^_+|_+$/g, '')
  if (plain === '') return empty
  return /^\d/.test(plain) ? `_${plain}` : plain
}

const MARK_LENGTH = 6
/** A thread has more calls than an agent has tools. */
const WHOLE_HASH = 11

function marked(plain: string, name: string, longest: number, markLength = MARK_LENGTH): string {
  const mark = hashText(name).slice(-markLength)
  return `${plain.slice(0, longest - mark.length - 1)}_${mark}`
}

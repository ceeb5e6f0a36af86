/** A JSON Schema as a tree: which keywords hold schemas, and how. */
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'

type Holding = 'one' | 'list' | 'named'

const ONE: readonly string[] = [
  ...['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]
const LISTS: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const NAMED: readonly string[] = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']

/** How keywords hold schemas: one, a list of them, or by name. */
const HOLDS: ReadonlyMap<string, Holding> = new Map([
  ...ONE.map((keyword): [string, Holding] => [keyword, 'one']),
  ...LISTS.map((keyword): [string, Holding] => [keyword, 'list']),
  ...NAMED.map((keyword): [string, Holding] => [keyword, 'named']),
])

/** The alternatives and additions of a schema, which describe the same value. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'then', 'else'] as const

/** The schema with each schema directly in it changed. */
export function mapChildren(schema: JsonObject, change: (child: JsonObject) => JsonObject): JsonObject {
  const changed = (child: Json): Json => (isJsonObject(child) ? change(child) : child)
  return mapValues(schema, (value, keyword) => {
    if (Array.isArray(value)) return HOLDS.has(keyword) ? value.map(changed) : value
    if (HOLDS.get(keyword) === 'named' && isJsonObject(value)) return mapValues(value, changed)
    return HOLDS.get(keyword) === 'one' ? changed(value) : value
  })
}

/** The schemas directly in a schema. */
export function childrenOf(schema: JsonObject): JsonObject[] {
  const children: JsonObject[] = []
  mapChildren(schema, child => {
    children.push(child)
    return child
  })
  return children
}

/** The schema and all schemas in it. */
export function schemasIn(schema: JsonObject): JsonObject[] {
  return [schema, ...childrenOf(schema).flatMap(schemasIn)]
}

/** The schema and the ones in it that describe the same value. */
export function sameValueSchemas(schema: Json | undefined): JsonObject[] {
  if (!isJsonObject(schema)) return []
  return [schema, ...SAME_VALUE.flatMap(keyword => [schema[keyword] ?? []].flat().flatMap(sameValueSchemas))]
}

export function mapValues(record: JsonObject, change: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
}

/** The types that a schema names. */
export function typesOf({ type }: JsonObject): string[] {
  return [type ?? []].flat().filter(each => typeof each === 'string')
}

/** The texts of a list; none if it is no list. */
export function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
}

/** The properties of a schema, by name. */
export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {}
}

import { isJsonObject, isSameJson, type Json, type JsonObject } from '../../core/text/json.ts'
import { propertiesOf, textsIn, typesOf } from './schema-tree.ts'

/**
 * The schema as one object without unions at its top: it has the properties of all alternatives, and demands what all
 * of them demand. Its description says what the alternatives were. `null` if it describes no object.
 */
export function mergeTop(schema: JsonObject): JsonObject | null {
  const types = typesOf(schema)
  if (types.length > 0 && !types.includes('object')) return null
  const { allOf, anyOf, oneOf, ...own } = schema
  const additions = objectsIn(allOf)
  const unions = [anyOf, oneOf].filter(list => Array.isArray(list) && list.length > 0)
  const alternatives = unions.map(objectsIn)
  const isOther = alternatives.some(objects => objects.length === 0)
  if (isOther && own['properties'] === undefined && types.length === 0) return null
  const merged = alternatives.reduce(withAlternatives, additions.reduce(withAddition, objectOf(own)))
  const description = [own['description'], ...alternatives.map(choiceText)].filter(Boolean).join('\n')
  return { ...merged, ...(description !== '' && { description }) }
}

function objectOf(own: JsonObject): JsonObject {
  return { ...own, type: 'object', properties: propertiesOf(own) }
}

/** Alternatives that are no objects, such as `null`, fit no arguments of a tool. */
function objectsIn(list: Json | undefined): JsonObject[] {
  return (Array.isArray(list) ? list : [])
    .filter(isJsonObject)
    .map(mergeTop)
    .filter(each => each !== null)
}

function withAddition(schema: JsonObject, addition: JsonObject): JsonObject {
  const properties = { ...propertiesOf(schema) }
  for (const [name, value] of Object.entries(propertiesOf(addition))) {
    const before = properties[name]
    properties[name] = isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value
  }
  return { ...opened(schema, properties), properties, ...demanding(requiredIn(schema, addition)) }
}

function withAlternatives(schema: JsonObject, alternatives: readonly JsonObject[]): JsonObject {
  if (alternatives.length === 0) return schema
  const own = propertiesOf(schema)
  const names = new Set(alternatives.flatMap(each => Object.keys(propertiesOf(each))))
  const added = [...names].filter(name => !Object.hasOwn(own, name)).map(name => [name, anyOfThem(name, alternatives)])
  const properties: JsonObject = { ...own, ...Object.fromEntries(added) }
  const [first = [], ...others] = alternatives.map(({ required }) => textsIn(required))
  const byAll = first.filter(name => others.every(required => required.includes(name)))
  return { ...opened(schema, properties), properties, ...demanding([...requiredIn(schema), ...byAll]) }
}

/** A closed schema that got properties of others is open: it would forbid what one of them allows. */
function opened(schema: JsonObject, properties: JsonObject): JsonObject {
  const isWider = Object.keys(properties).length > Object.keys(propertiesOf(schema)).length
  if (!isWider || schema['additionalProperties'] !== false) return schema
  const { additionalProperties: _, ...open } = schema
  return open
}

function anyOfThem(name: string, alternatives: readonly JsonObject[]): Json {
  const all = alternatives.flatMap(each => propertiesOf(each)[name] ?? [])
  const different = all.filter((one, index) => all.findIndex(other => isSameJson(one, other)) === index)
  if (different.length === 1) return different[0] ?? {}
  return oneEnum(different) ?? { anyOf: different }
}

/** The mark by which alternatives differ is one list of values. */
function oneEnum(schemas: readonly Json[]): JsonObject | null {
  const lists = schemas.map(schema => {
    if (!isJsonObject(schema)) return null
    const { enum: list, const: value, ...others } = schema
    const isBare = Object.keys(others).every(key => key === 'type')
    const values = value === undefined ? list : [value]
    return isBare && Array.isArray(values) ? { type: schema['type'], values } : null
  })
  if (lists.some(list => list === null || !isSameJson(list.type ?? null, lists[0]?.type ?? null))) return null
  const type = lists[0]?.type
  return { ...(type !== undefined && { type }), enum: [...new Set(lists.flatMap(list => list?.values ?? []))] }
}

function requiredIn(...schemas: readonly JsonObject[]): string[] {
  return schemas.flatMap(({ required }) => textsIn(required))
}

function demanding(names: readonly string[]): { required?: readonly string[] } {
  return names.length === 0 ? {} : { required: [...new Set(names)] }
}

/** What a model is told of alternatives that a schema can no longer say. */
function choiceText(alternatives: readonly JsonObject[]): string {
  const sets = alternatives.map(schema => {
    const required = textsIn(schema['required'])
    return (required.length > 0 ? required : Object.keys(propertiesOf(schema))).join(', ')
  })
  const different = [...new Set(sets)].filter(set => set !== '')
  return different.length < 2
    ? ''
    : `One of these sets of fields is needed: ${different.map(set => `(${set})`).join(' or ')}.`
}

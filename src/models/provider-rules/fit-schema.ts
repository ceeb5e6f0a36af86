import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { inlineRefs } from './inline-refs.ts'
import { mergeTop } from './merge-top.ts'
import type { SchemaRules } from './provider-rules.ts'
import { isPattern, looksAround, schemaFaults, TYPES } from './schema-faults.ts'
import { mapChildren, propertiesOf, textsIn, typesOf } from './schema-tree.ts'
import { NO_RENAMES, propertyRenames, type Renames, renamedSchema } from './wire-names.ts'

/** A schema as a provider takes it. It may allow more than the original, against which arguments are checked here. */
export interface FittedSchema {
  readonly schema: JsonObject
  /** The names of properties that were sent otherwise. */
  readonly renames: Renames
}

/** The schema itself if the provider takes it. The text says why no form of it can be sent. */
export function fitSchema(schema: JsonObject, rules: SchemaRules): FittedSchema | string {
  if (schemaFaults(schema, rules).length === 0) return { schema, renames: NO_RENAMES }
  const merged = mergeTop(inlineRefs(schema))
  if (merged === null) return 'its arguments are no object'
  const renames = propertyRenames(merged, rules)
  const fitted = renamedSchema(fitNode(merged, rules), renames)
  const [fault] = schemaFaults(fitted, rules)
  return fault ?? { schema: fitted, renames }
}

type FitStep = (schema: JsonObject, rules: SchemaRules) => JsonObject

/** Each takes one thing away that some provider refuses. */
const FITS: readonly FitStep[] = [
  knownTypes,
  tuples,
  boundaries,
  constants,
  usableEnum,
  usablePattern,
  knownFormat,
  completeArray,
  definedRequired,
  knownKeywords,
]

function fitNode(schema: JsonObject, rules: SchemaRules): JsonObject {
  const inner = mapChildren(schema, child => fitNode(child, rules))
  return FITS.reduce((fitted, step) => step(fitted, rules), inner)
}

function without(schema: JsonObject, ...keywords: readonly string[]): JsonObject {
  if (!keywords.some(keyword => Object.hasOwn(schema, keyword))) return schema
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

function knownTypes(schema: JsonObject): JsonObject {
  if (schema['type'] === undefined) return schema
  const types = typesOf(schema).filter(type => TYPES.includes(type))
  const [only] = types
  if (only === undefined) return without(schema, 'type')
  return { ...schema, type: types.length === 1 ? only : types }
}

/** Lists of schemas by place were written as `items` before 2020. */
function tuples(schema: JsonObject): JsonObject {
  const { items, additionalItems: _, ...others } = schema
  if (!Array.isArray(items)) return schema
  return { ...others, prefixItems: items, items: {} }
}

/** Draft 4 wrote an exclusive boundary as a mark of the inclusive one. */
function boundaries(schema: JsonObject): JsonObject {
  const marked = BOUNDARIES.filter(([, mark]) => typeof schema[mark] === 'boolean')
  return marked.reduce((fitted, [boundary, mark]) => {
    const value = fitted[boundary]
    if (fitted[mark] === false || value === undefined) return without(fitted, mark)
    return { ...without(fitted, boundary), [mark]: value }
  }, schema)
}

const BOUNDARIES = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const

function constants(schema: JsonObject, { keywords }: SchemaRules): JsonObject {
  const { const: value } = schema
  if (value === undefined || keywords === null || keywords.includes('const')) return schema
  return { ...without(schema, 'const'), enum: [value] }
}

function usableEnum(schema: JsonObject, { plainEnums }: SchemaRules): JsonObject {
  const { enum: list } = schema
  if (list === undefined) return schema
  const values = Array.isArray(list) ? list.filter(value => !plainEnums || isPlain(value)) : []
  return values.length === 0 ? without(schema, 'enum') : { ...schema, enum: values }
}

function isPlain(value: Json): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
}

function usablePattern(schema: JsonObject, { lookaround }: SchemaRules): JsonObject {
  const { pattern, patternProperties } = schema
  const isRefused = (written: Json) => !isPattern(written) || (!lookaround && looksAround(String(written)))
  const usable = pattern !== undefined && isRefused(pattern) ? without(schema, 'pattern') : schema
  return isJsonObject(patternProperties) && Object.keys(patternProperties).some(isRefused)
    ? without(usable, 'patternProperties')
    : usable
}

function knownFormat(schema: JsonObject, { formats }: SchemaRules): JsonObject {
  const isKnown = formats === null || formats.includes(String(schema['format']))
  return isKnown ? schema : without(schema, 'format')
}

function completeArray(schema: JsonObject, { itemsOfArrays }: SchemaRules): JsonObject {
  const needsItems = itemsOfArrays && typesOf(schema).includes('array') && !isJsonObject(schema['items'])
  return needsItems ? { ...schema, items: {} } : schema
}

/** Draft 3 marked each property as required. */
function definedRequired(schema: JsonObject, { requiredIsDefined }: SchemaRules): JsonObject {
  if (schema['required'] === undefined) return schema
  const names = textsIn(schema['required']).filter(
    name => !requiredIsDefined || Object.hasOwn(propertiesOf(schema), name),
  )
  return names.length === 0 ? without(schema, 'required') : { ...schema, required: names }
}

function knownKeywords(schema: JsonObject, { keywords }: SchemaRules): JsonObject {
  if (keywords === null) return schema
  return without(schema, ...Object.keys(schema).filter(keyword => !keywords.includes(keyword)))
}

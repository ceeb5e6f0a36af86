import { isJsonObject, type JsonObject } from '../../core/text/json.ts'
import type { SchemaRules } from './provider-rules.ts'
import { propertiesOf, schemasIn, textsIn, typesOf } from './schema-tree.ts'

/** The types of JSON Schema. */
export const TYPES: readonly string[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

type Check = (schema: JsonObject, rules: SchemaRules) => boolean

/** Why a provider would refuse a schema anywhere in it: a text for each check that fails. */
const FAULTS: Readonly<Record<string, Check>> = {
  'it has a reference': ({ $ref }) => $ref !== undefined,
  'it names a type that JSON has not': schema =>
    schema['type'] !== undefined &&
    (typesOf(schema).length === 0 || typesOf(schema).some(type => !TYPES.includes(type))),
  'its properties are no object': ({ properties }) => properties !== undefined && !isJsonObject(properties),
  'it has a list of items by place': ({ items }) => Array.isArray(items),
  'it marks a boundary as exclusive': ({ exclusiveMinimum, exclusiveMaximum }) =>
    [exclusiveMinimum, exclusiveMaximum].some(mark => typeof mark === 'boolean'),
  'its required fields are no list': ({ required }) =>
    required !== undefined && textsIn(required).length !== [required].flat().length,
  'its enum is no list with a value': ({ enum: list }) =>
    list !== undefined && !(Array.isArray(list) && list.length > 0),
  'an array has no items': (schema, { itemsOfArrays }) =>
    itemsOfArrays && typesOf(schema).includes('array') && !isJsonObject(schema['items']),
  'a property has a name that the provider refuses': (schema, { propertyName, longestProperty }) =>
    Object.keys(propertiesOf(schema)).some(name => name.length > longestProperty || propertyName?.test(name) === false),
  'it has a keyword that the provider refuses': (schema, { keywords }) =>
    keywords !== null && Object.keys(schema).some(keyword => !keywords.includes(keyword)),
  'it has a format that the provider refuses': ({ format }, { formats }) =>
    format !== undefined && formats !== null && !formats.includes(String(format)),
  'its enum has values that the provider refuses': ({ enum: list }, { plainEnums }) =>
    plainEnums && Array.isArray(list) && list.some(value => value === '' || !PLAIN.includes(typeof value)),
  'its pattern is one that the provider refuses': ({ pattern, patternProperties }, { lookaround }) => {
    const patterns = [pattern ?? [], isJsonObject(patternProperties) ? Object.keys(patternProperties) : []].flat()
    return patterns.some(written => !isPattern(written) || (!lookaround && looksAround(String(written))))
  },
  'it requires a field that it does not define': (schema, { requiredIsDefined }) =>
    requiredIsDefined && textsIn(schema['required']).some(name => !Object.hasOwn(propertiesOf(schema), name)),
}

const PLAIN: readonly string[] = ['string', 'number']

/** What is wrong with the schema of a tool under these rules, each fault once; empty if the provider takes it. */
export function schemaFaults(schema: JsonObject, rules: SchemaRules): string[] {
  const all = schemasIn(schema)
  const faults = Object.entries(FAULTS).filter(([, isFaulty]) => all.some(each => isFaulty(each, rules)))
  return [...topFaults(schema), ...faults.map(([fault]) => fault)]
}

function topFaults(schema: JsonObject): string[] {
  return [
    ...(schema['type'] === 'object' ? [] : ['it is no object at its top']),
    ...(isJsonObject(schema['properties']) ? [] : ['it has no properties']),
    ...(['oneOf', 'anyOf', 'allOf'].some(keyword => Object.hasOwn(schema, keyword))
      ? ['it has a union at its top']
      : []),
  ]
}

export function isPattern(written: unknown): boolean {
  if (typeof written !== 'string') return false
  try {
    new RegExp(written, 'u')
    return true
  } catch {
    return false
  }
}

/** True if it finds places by what is before or behind them, or by an earlier find. */
export function looksAround(pattern: string): boolean {
  return /\(\?<?[=!]|\\[1-9]|\\k</.test(pattern)
}

import { readPattern } from '../../../core/pattern/pattern.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/text/json.ts'
import { jsonPath } from '../../../core/text/json-path.ts'

const TYPES: ReadonlySet<Json> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
/** Keywords that hold data, so nothing below them is a schema. */
export const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'example', 'examples'])
/** Keywords that hold schemas by name. */
export const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])

/**
 * Why no value could ever be checked against this JSON Schema: an unknown type, or a pattern that is no regular
 * expression. `null` if the schema works. An early refusal spares a person an answer that nothing accepts.
 */
export function schemaFault(schema: JsonObject, root = 'schema'): string | null {
  return faultIn(schema, { root, path: [] })
}

/** Keywords that constrain an object, besides its type. */
const OF_OBJECTS: ReadonlySet<string> = new Set([
  ...BY_NAME,
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'required', 'minProperties', 'maxProperties'],
  ...[
    'dependentRequired',
    'dependencies',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    '$ref',
    '$dynamicRef',
    'enum',
    'const',
  ],
])

/**
 * The first key that was meant as a property, in a schema without any keyword that constrains an object. Such a schema
 * checks nothing. `null` if there is none.
 */
export function strayProperty(schema: JsonObject): string | null {
  const keys = Object.keys(schema)
  if (keys.some(key => OF_OBJECTS.has(key))) return null
  return keys.find(key => isJsonObject(schema[key]) && !DATA.has(key) && !/^(?:x-|\$)/.test(key)) ?? null
}

interface SchemaPosition {
  readonly root: string
  readonly path: readonly PropertyKey[]
}

function faultIn(schema: Json, place: SchemaPosition): string | null {
  if (Array.isArray(schema)) return firstFault(schema.map((item, index) => () => faultIn(item, below(place, index))))
  if (!isJsonObject(schema)) return null
  const own = typeFault(schema, place) ?? patternFault(schema['pattern'], below(place, 'pattern'))
  if (own !== null) return own
  const entries = Object.entries(schema).filter(([keyword]) => !DATA.has(keyword))
  return firstFault(
    entries.map(
      ([keyword, value]) =>
        () =>
          faultOfKeyword(keyword, value, below(place, keyword)),
    ),
  )
}

function faultOfKeyword(keyword: string, value: Json, place: SchemaPosition): string | null {
  if (!BY_NAME.has(keyword)) return faultIn(value, place)
  if (!isJsonObject(value)) return `${jsonPath(place.root, place.path)} must be an object`
  return firstFault(
    Object.entries(value).map(([name, schema]) => () => {
      const fault = keyword === 'patternProperties' ? patternFault(name, below(place, name)) : null
      return fault ?? faultIn(schema, below(place, name))
    }),
  )
}

function typeFault(schema: JsonObject, { root, path }: SchemaPosition): string | null {
  const type = schema['type']
  if (type === undefined || [type].flat().every(name => TYPES.has(name))) return null
  return `${jsonPath(root, [...path, 'type'])} is ${JSON.stringify(type)}, which is not a JSON Schema type`
}

function patternFault(pattern: Json | undefined, { root, path }: SchemaPosition): string | null {
  if (typeof pattern !== 'string') return null
  const read = readPattern(pattern)
  return 'fault' in read ? `${jsonPath(root, path)} cannot be used: ${read.fault}` : null
}

function firstFault(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const fault = check()
    if (fault !== null) return fault
  }
  return null
}

function below({ root, path }: SchemaPosition, segment: PropertyKey): SchemaPosition {
  return { root, path: [...path, segment] }
}

import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import { type JsonFault, type ReadJson, readExactly } from './exact-json.ts'

/**
 * Reads like `readExactly`, but a number that JavaScript cannot hold becomes the text of its digits if the schema takes
 * a text there.
 */
export function readFitting(text: string, schema: JsonObject | null): ReadJson {
  const { value, faults } = readExactly(text)
  const mends = ({ kind, path }: JsonFault) => kind === 'number' && schema !== null && takesText(schema, path)
  // Other faults may have moved the places of these.
  if (!faults.every(mends)) return { value, faults }
  return { value: faults.reduce(put, value), faults: [] }
}

/** Puts the text in place: the value was read for this alone. */
function put(value: Json, { path, source }: JsonFault): Json {
  const key = path.at(-1)
  if (key === undefined) return source
  const inner = path.slice(0, -1).reduce<Json | undefined>((at, each) => (at as JsonObject)[each], value)
  Object.assign(inner as object, { [key]: source })
  return value
}

type Path = readonly (string | number)[]

/** True if a JSON Schema takes a text at `path`. Places that it does not mention may have a text. */
export function takesText(schema: JsonObject, path: Path): boolean {
  return takes({ root: schema, depth: 0 }, schema, path)
}

interface Within {
  readonly root: JsonObject
  /** Schemas may refer to themselves. */
  readonly depth: number
}

const DEEPEST = 50

function takes(within: Within, schema: Json | undefined, path: Path): boolean {
  if (!isJsonObject(schema)) return schema !== false
  if (within.depth > DEEPEST) return false
  const inner = { ...within, depth: within.depth + 1 }
  const all = [...listOf(schema['allOf']), ...referred(within.root, schema['$ref'])]
  const some = [schema['anyOf'], schema['oneOf']].filter(each => each !== undefined).map(listOf)
  return (
    ownTakes(inner, schema, path) &&
    all.every(each => takes(inner, each, path)) &&
    some.every(each => each.some(one => takes(inner, one, path)))
  )
}

function ownTakes(within: Within, schema: JsonObject, path: Path): boolean {
  const [segment, ...rest] = path
  if (segment === undefined) return isForText(schema)
  return takes(within, typeof segment === 'number' ? itemAt(schema, segment) : fieldAt(schema, segment), rest)
}

function isForText({ type, enum: words, const: word }: JsonObject): boolean {
  if (word !== undefined) return typeof word === 'string'
  if (Array.isArray(words)) return words.some(each => typeof each === 'string')
  return type === undefined || type === 'string' || listOf(type).includes('string')
}

function itemAt(schema: JsonObject, index: number): Json | undefined {
  return listOf(schema['prefixItems'])[index] ?? schema['items']
}

function fieldAt(schema: JsonObject, key: string): Json | undefined {
  const { properties = null, additionalProperties } = schema
  if (isJsonObject(properties) && Object.hasOwn(properties, key)) return properties[key]
  return additionalProperties
}

/** Resolves a reference into the schema itself; other references give nothing. */
function referred(root: JsonObject, ref: Json | undefined): Json[] {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return []
  const steps = ref.slice(1).split('/').slice(1)
  let child: Json | undefined = root
  for (const step of steps) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    child = isJsonObject(child) && Object.hasOwn(child, key) ? child[key] : undefined
  }
  return child === undefined ? [] : [child]
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

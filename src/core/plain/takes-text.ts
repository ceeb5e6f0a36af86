import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'

type Path = readonly (string | number)[]

/** True if a JSON Schema takes a text at `path`. What it says nothing about may be a text. */
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

/** Of references, those into the schema itself. */
function referred(root: JsonObject, ref: Json | undefined): Json[] {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return []
  const steps = ref.slice(1).split('/').slice(1)
  let found: Json | undefined = root
  for (const step of steps) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }
  return found === undefined ? [] : [found]
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

import { messageOf, ToolError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { jsonPath } from '../../core/text/json-path.ts'

/** Values that JSON would silently turn into `{}` or drop, by their `Object.prototype.toString` tag. */
const NOT_JSON: Readonly<Record<string, string>> = {
  Map: 'a Map',
  Set: 'a Set',
  WeakMap: 'a WeakMap',
  WeakSet: 'a WeakSet',
  Promise: 'a Promise that was not awaited',
  RegExp: 'a RegExp',
  ArrayBuffer: 'bytes',
  DataView: 'bytes',
  Uint8Array: 'bytes',
}

/**
 * `value` as the JSON that will be stored and shown. As `JSON.stringify`: absent members are dropped, `toJSON` is
 * called, a number that is not finite becomes `null`. Other than it, nothing that matters is lost without a word.
 * @throws ToolError RESULT_NOT_JSON naming the place that is not JSON.
 */
export function asJson(value: unknown, root = 'result'): Json {
  try {
    return convert(value, { root, path: [], above: new Set() })
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    throw new ToolError('RESULT_NOT_JSON', `${root} is nested too deeply to be JSON (${messageOf(thrown)}).`)
  }
}

interface JsonPosition {
  readonly root: string
  readonly path: readonly PropertyKey[]
  readonly above: ReadonlySet<object>
}

function convert(value: unknown, place: JsonPosition): Json {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'object') return convertObject(value, place)
  throw notJson(place, `a ${typeof value}`)
}

function convertObject(value: object, place: JsonPosition): Json {
  if (place.above.has(value)) throw notJson(place, 'a reference to what contains it')
  const within: JsonPosition = { ...place, above: new Set(place.above).add(value) }
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(''), within)
  if (Array.isArray(value)) return Array.from(value, (item, index) => convert(item, below(within, index)))
  if (value instanceof Error) return { name: value.name, message: value.message }
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  const exotic = Object.hasOwn(NOT_JSON, tag) ? NOT_JSON[tag] : undefined
  if (exotic !== undefined) throw notJson(place, exotic)
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf()
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, convert(member, below(within, key))]),
  )
}

function below(place: JsonPosition, segment: PropertyKey): JsonPosition {
  return { ...place, path: [...place.path, segment] }
}

function notJson({ root, path }: JsonPosition, kind: string): ToolError {
  const where = jsonPath(root, path)
  return new ToolError('RESULT_NOT_JSON', `${where} is ${kind}, which is not JSON. Return plain values only.`)
}

/** The value itself, or the last one of an async iterable: earlier ones were progress. */
export async function lastValue(value: unknown): Promise<unknown> {
  if (!isAsyncIterable(value)) return value
  let last: unknown
  for await (const next of value) last = next
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

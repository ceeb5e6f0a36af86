/**
 * The gate in front of the journal (P4, P8): what leaves here is what the journal gives back, and nothing can change it
 * any more. So the state of a live run is the fold of what is on disk.
 */
import { HoldpointError, messageOf } from '../errors.ts'
import { DEEPEST } from '../text/json.ts'
import { jsonPath } from '../text/json-path.ts'
import { wellFormedText } from '../text/kept-text.ts'

declare const isPlain: unique symbol

/** A value that `plain` made: deeply frozen, and the same after `JSON.parse(JSON.stringify(value))`. */
export type Plain<T> = T & { readonly [isPlain]: true }

/** A value that JSON would change or lose. `path` is the place of it. */
export class NotPlainError extends HoldpointError {
  readonly code = 'not_plain'
  readonly path: string

  constructor(path: string, what: string) {
    super(`${path} ${what}.`, { details: { path } })
    this.path = path
  }
}

interface Place {
  readonly root: string
  readonly path: PropertyKey[]
}

/** The lists and objects that left here. They are frozen, so they are taken as they are. */
const KNOWN = new WeakSet<object>()

/**
 * A copy of `value` as JSON gives it back, or `value` itself if it left here before. As with `JSON.stringify`, `toJSON` is
 * called and fields that are undefined are left out. Half of a surrogate pair, which no provider takes, becomes U+FFFD.
 * Nothing else is changed or left out in silence.
 * @throws NotPlainError with the path of what JSON cannot hold; `root` names the value
 */
export function plain<T>(value: T, root = 'value'): Plain<T> {
  return kept(value, { root, path: [] }) as Plain<T>
}

function kept(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return wellFormedText(value)
  if (typeof value === 'boolean' || value === null) return value
  // JSON has no negative zero.
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  if (typeof value !== 'object') throw notPlain(place, `is ${wordFor(value)}, which JSON cannot hold`)
  return KNOWN.has(value) ? value : keptObject(value, place)
}

function keptObject(value: object, place: Place): unknown {
  if (place.path.length > DEEPEST + OF_AN_EVENT) throw notPlain(place, 'is nested too deeply')
  const spokenValue = spoken(value, place)
  if (typeof spokenValue !== 'object' || spokenValue === null) return kept(spokenValue, place)
  const copy = Array.isArray(spokenValue) ? keptList(spokenValue, place) : keptFields(spokenValue, place)
  KNOWN.add(Object.freeze(copy))
  return copy
}

/** The levels of an event around the values of people, models and tools. */
const OF_AN_EVENT = 10

/** The object's own word for JSON, if it has one. */
function spoken(value: object, place: Place): unknown {
  try {
    return 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON('') : value
  } catch (thrown) {
    throw notPlain(place, `cannot be written: ${messageOf(thrown)}`)
  }
}

function keptList(list: readonly unknown[], place: Place): unknown[] {
  // By index: a hole is no value of JSON.
  return Array.from({ length: list.length }, (_, index) => keptAt(list[index], index, place))
}

function keptFields(record: object, place: Place): object {
  refuseInstance(record, place)
  const copy: Record<string, unknown> = {}
  for (const [written, value] of fieldsOf(record, place)) {
    if (value === undefined) continue
    const key = wellFormedText(written)
    const inner = keptAt(value, key, place)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: inner, enumerable: true })
    else copy[key] = inner
  }
  return copy
}

function fieldsOf(record: object, place: Place): [key: string, value: unknown][] {
  try {
    return Object.entries(record)
  } catch (thrown) {
    throw notPlain(place, `cannot be read: ${messageOf(thrown)}`)
  }
}

function keptAt(value: unknown, key: PropertyKey, place: Place): unknown {
  place.path.push(key)
  const inner = kept(value, place)
  place.path.pop()
  return inner
}

/** JSON would make `{}` of most of them. An object of another realm has its own `Object.prototype`. */
function refuseInstance(record: object, place: Place): void {
  const prototype: object | null = Object.getPrototypeOf(record)
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return
  throw notPlain(place, `is a ${prototype.constructor?.name || 'class instance'}, which JSON cannot hold`)
}

function wordFor(value: unknown): string {
  return typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`
}

function notPlain({ root, path }: Place, what: string): NotPlainError {
  return new NotPlainError(jsonPath(root, path), what)
}

import { messageOf } from '../errors.ts'
import { DEEPEST, type Json } from '../text/json.ts'
import { jsonPath } from '../text/json-path.ts'
import { cutText } from '../text/kept-text.ts'

/** The part of a value that JSON can hold, and a description of the rest. */
export interface KeptJson {
  readonly value: Json
  /** The losses, each with its place: `result.at is NaN`. Empty if nothing was lost. */
  readonly lost: readonly string[]
}

/**
 * The part of a foreign value that JSON can hold: a bigint as text, a date in ISO form, a Map or a Set as a list.
 * `most` is about how many characters of it are kept. Never throws, whatever the value does when it is read.
 */
export function keptJson(value: unknown, { root, most }: { readonly root: string; readonly most: number }): KeptJson {
  const walk: Walk = { root, left: most, lost: [] }
  const kept = convert(value, { walk, path: [], above: [] })
  return { value: kept ?? null, lost: walk.lost }
}

interface Walk {
  readonly root: string
  /** Characters that may still be kept. */
  left: number
  readonly lost: string[]
}

interface Place {
  readonly walk: Walk
  readonly path: readonly PropertyKey[]
  readonly above: readonly object[]
}

/** `undefined` if there is nothing to keep. */
type Kept = Json | undefined

function convert(value: unknown, place: Place): Kept {
  place.walk.left -= 4
  try {
    return typeof value === 'object' && value !== null ? convertObject(value, place) : convertPlain(value, place)
  } catch (thrown) {
    return lose(place, `could not be read (${messageOf(thrown)})`)
  }
}

function convertPlain(value: unknown, place: Place): Kept {
  if (typeof value === 'string') return convertText(value, place)
  if (typeof value === 'bigint') return convertText(String(value), place)
  if (typeof value === 'number') return convertNumber(value, place)
  if (typeof value === 'function' || typeof value === 'symbol') return lose(place, `is a ${typeof value}`)
  return value as boolean | null | undefined
}

function convertText(text: string, place: Place): string {
  const { walk } = place
  const room = Math.max(walk.left, 0)
  walk.left -= text.length
  if (text.length <= room) return text
  lose(place, `was cut after ${room} of ${text.length} characters`)
  return cutText(text, room)
}

/** JSON has no negative zero. */
function convertNumber(value: number, place: Place): number | null {
  if (Number.isFinite(value)) return value === 0 ? 0 : value
  lose(place, `is ${value}`)
  return null
}

function convertObject(value: object, { walk, path, above }: Place): Kept {
  const within: Place = { walk, path, above: [...above, value] }
  if (above.includes(value)) return lose(within, 'is a reference to what contains it')
  if (above.length > DEEPEST) return lose(within, 'is nested too deeply')
  if (Array.isArray(value)) return convertList(value, within)
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  const convertAs = Object.hasOwn(EXOTIC, tag) ? EXOTIC[tag] : undefined
  if (convertAs) return convertAs(value as never, within)
  const plain = 'toJSON' in value && typeof value.toJSON === 'function' ? (value.toJSON('') as unknown) : value
  return plain === value ? convertFields(value, within) : convert(plain, within)
}

/** By their tag: values whose content JSON would drop. */
const EXOTIC: Readonly<Record<string, (value: never, within: Place) => Kept>> = {
  Map: (value: ReadonlyMap<unknown, unknown>, within) => convertList([...value], within),
  Set: (value: ReadonlySet<unknown>, within) => convertList([...value], within),
  Date: (value: Date, within) =>
    Number.isNaN(value.getTime()) ? lose(within, 'is no valid date') : value.toISOString(),
  RegExp: (value: RegExp, within) => convertText(String(value), within),
  String: boxed,
  Number: boxed,
  Boolean: boxed,
  BigInt: boxed,
  Error: (value: Error, within) =>
    convertFields(Object.assign({ name: value.name, message: value.message }, value), within),
}

function boxed(value: object, within: Place): Kept {
  return convertPlain(value.valueOf(), within)
}

function convertList(list: readonly unknown[], within: Place): Kept {
  const kept: Json[] = []
  for (let index = 0; index < list.length; index += 1) {
    if (within.walk.left <= 0) {
      lose(within, `was cut after ${index} of ${list.length} entries`)
      break
    }
    kept.push(convert(list[index], below(within, index)) ?? null)
  }
  return kept
}

// `fromEntries` defines what it sets: a key `__proto__` stays a key.
function convertFields(value: object, within: Place): Kept {
  const keys = Object.keys(value)
  const kept: [string, Json][] = []
  for (const [index, key] of keys.entries()) {
    if (within.walk.left <= 0) {
      lose(within, `was cut after ${index} of ${keys.length} fields`)
      break
    }
    within.walk.left -= key.length
    const inner = fieldOf(value, key, below(within, key))
    if (inner !== undefined) kept.push([key, inner])
  }
  tellHidden(value, keys.length, within)
  return kept.length === 0 && keys.length === 0 && !isPlain(value) ? undefined : Object.fromEntries(kept)
}

function fieldOf(value: object, key: string, place: Place): Kept {
  try {
    return convert((value as Record<string, unknown>)[key], place)
  } catch (thrown) {
    return lose(place, `could not be read (${messageOf(thrown)})`)
  }
}

function tellHidden(value: object, fields: number, within: Place): void {
  if (Object.getOwnPropertySymbols(value).length > 0) lose(within, 'has fields whose names are symbols')
  if (isPlain(value)) return
  if (fields === 0) lose(within, `is a ${classOf(value)}, of which nothing could be kept`)
  else if (mayHide(value)) lose(within, `is a ${classOf(value)}, of which only its plain fields could be kept`)
}

/** True for plain objects, also of another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function classOf(value: object): string {
  const { constructor: made, [Symbol.toStringTag]: tag } = value as { readonly [Symbol.toStringTag]?: unknown }
  const name = typeof tag === 'string' ? tag : made?.name
  return typeof name === 'string' && name !== '' && name !== 'Object' ? name : 'object of a class'
}

/** Rows of a database may be of one class by the thousand. */
const hiding = new WeakMap<object, boolean>()

/** True if its class reads a state that is no field of it, or has private fields. */
function mayHide(value: object): boolean {
  const made: object = Object.getPrototypeOf(value)
  const isKnown = hiding.get(made)
  if (isKnown !== undefined) return isKnown
  const hides = readsMore(made) || (!isPlain(made) && mayHide(made))
  hiding.set(made, hides)
  return hides
}

function readsMore(prototype: object): boolean {
  const described: Record<string, PropertyDescriptor> = Object.getOwnPropertyDescriptors(prototype)
  if (Object.values(described).some(({ get }) => get !== undefined)) return true
  return /(?<!["'`\w])#\w/.test(Function.prototype.toString.call(prototype.constructor))
}

function below(place: Place, segment: PropertyKey): Place {
  return { ...place, path: [...place.path, segment] }
}

/** Enough of a path to find its place: a value may be nested a hundred times. */
const LONGEST_PATH = 160
const MOST_TOLD = 10

function lose({ walk, path }: Place, what: string): undefined {
  const { lost, root } = walk
  const place = jsonPath(root, path)
  const shown = place.length <= LONGEST_PATH ? place : `${place.slice(0, LONGEST_PATH)}…`
  if (lost.length < MOST_TOLD) lost.push(`${shown} ${what}`)
  else if (lost.length === MOST_TOLD) lost.push('and more of it')
}

/** The fields of the frames of clients. Each check knows the type of what passes, so no type is written beside it. */
import { VERDICTS } from '../hold/decision.ts'
import type { GrantInput } from '../hold/grant.ts'
import { checkInputId } from '../journal/input.ts'
import type { Json, JsonObject } from '../text/json.ts'

/** `queue`: at the next boundary. `steer`: there too, before the queued ones. `interrupt`: what runs is stopped at a safe point first. */
export const MESSAGE_MODES = ['queue', 'steer', 'interrupt'] as const

type Check<T> = (value: unknown) => value is T
/** A name with a question mark may be left out. */
export type Shape = Readonly<Record<string, Check<unknown>>>
type Of<C> = C extends Check<infer T> ? T : never
/** The type of the fields of a shape. */
export type Frame<S> = { readonly [K in keyof S as K extends `${string}?` ? never : K]: Of<S[K]> } & {
  readonly [K in keyof S as K extends `${infer Name}?` ? Name : never]?: Of<S[K]>
}

const text = (value: unknown): value is string => typeof value === 'string'
const name = (value: unknown): value is string => text(value) && value.trim() !== '' && value.length <= 200
const inputId = (value: unknown): value is string => {
  try {
    checkInputId(value)
    return value !== undefined
  } catch {
    return false
  }
}
const count = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const anything = (_: unknown): _ is Json => true
function object<T extends object = JsonObject>(value: unknown): value is T {
  return isFields(value)
}
function orNull<T>(check: Check<T>): Check<T | null> {
  return (value): value is T | null => value === null || check(value)
}
function oneOf<const Word extends string>(...words: readonly Word[]): Check<Word> {
  return (value): value is Word => words.includes(value as Word)
}
function shaped<S extends Shape>(shape: S): Check<Frame<S>> {
  return (value): value is Frame<S> => isFields(value) && problemIn(value, shape) === null
}
function listOf<T>(check: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(check)
}

export const FILE = { 'name?': name, 'media_type?': name, 'base64?': text, 'path?': name }
/** The digest and the level that the decider was shown. */
const SEEN = { 'digest?': orNull(text), 'level?': orNull(count) }

export const HELLO = {
  protocol: count,
  token: text,
  role: oneOf('writer', 'viewer'),
  /** The last `seq` that the client has; left out: only events from now on. */
  'since?': count,
  actor: name,
  /** The name and version of the program. */
  'client?': name,
}

export const SHAPES = {
  /** Default of the mode: `queue`. */
  user_message: { input_id: inputId, text, 'mode?': oneOf(...MESSAGE_MODES), 'files?': listOf(shaped(FILE)) },
  decide: {
    ...{ input_id: inputId, hold_id: name, verdict: oneOf(...VERDICTS), 'seen?': shaped(SEEN) },
    ...{ 'reason?': orNull(text), 'value?': anything, 'arguments?': orNull(object<JsonObject>) },
    'grant?': orNull(object<GrantInput>),
  },
  take_writer: { input_id: inputId },
  /** Default of `when`: `after_turn`. `now`: what runs is cancelled. */
  end: { input_id: inputId, 'when?': oneOf('after_turn', 'now') },
  ping: { n: count },
}

type Fields = Readonly<Record<string, unknown>>

/** What is wrong with these fields, in words; `null` if nothing is. */
export function problemIn(fields: Fields, shape: Shape): string | null {
  const names = new Set(Object.keys(shape).map(key => key.replace('?', '')))
  const unknown = Object.keys(fields).find(key => !names.has(key))
  if (unknown !== undefined) return `it has no field ${quoted(unknown)}`
  const wrong = Object.entries(shape).find(([key, check]) => !fitsField(fields, key, check))
  return wrong ? `its field ${wrong[0].replace('?', '')} is missing or does not fit` : null
}

function fitsField(fields: Fields, key: string, check: Check<unknown>): boolean {
  const field = key.replace('?', '')
  return Object.hasOwn(fields, field) ? check(fields[field]) : key.endsWith('?')
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function quoted(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100)
}

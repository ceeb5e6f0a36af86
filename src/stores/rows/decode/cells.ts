/** What a column may hold. Nothing here throws: a cell that no Holdpoint wrote is `DAMAGED`. */
import type { Json } from '../../../core/text/json.ts'
import type { Fits } from './shapes.ts'

export const DAMAGED: unique symbol = Symbol('damaged')

export interface Cell<T> {
  readonly read: (value: unknown) => T | typeof DAMAGED
  /** The value of an unreadable cell. Nobody may gain a right by it. */
  readonly instead: T
  /** What it is not, if it is damaged. */
  readonly must: string
}

export function text(instead = 'unreadable'): Cell<string> {
  return cell(value => typeof value === 'string', 'text', instead)
}

export const number: Cell<number> = cell(value => Number.isSafeInteger(value), 'a whole number', 0)

export const bytes: Cell<Uint8Array> = cell(value => value instanceof Uint8Array, 'bytes', new Uint8Array())

/** Milliseconds since 1970, as ISO time. */
export const time: Cell<string> = {
  read: value => (isTime(value) ? new Date(value).toISOString() : DAMAGED),
  instead: new Date(0).toISOString(),
  must: 'a time',
}

export function oneOf<T extends string>(known: readonly T[], instead: T): Cell<T> {
  return cell((value): value is T => known.includes(value as T), `one of ${known.join(', ')}`, instead)
}

/** `what` names the field in messages. */
export function json<T>(fits: Fits, what: string, instead: T): Cell<T> {
  const read = (value: unknown) => {
    const found = parsed(value)
    return found !== undefined && fits(found) ? (found as T) : DAMAGED
  }
  return { read, instead, must: `the JSON of ${what}` }
}

export function orNull<T>({ read, must }: Cell<T>, otherwise: T | null = null): Cell<T | null> {
  return { read: value => (value === null ? null : read(value)), instead: otherwise, must }
}

/** Like `orNull`, but damage never makes a cell `null` that had a value. */
export function orNullKept<T>(inner: Cell<T>): Cell<T | null> {
  return orNull(inner, inner.instead)
}

/** The one place in which a store parses JSON. Undefined: it is none. */
export function parsed(value: unknown): Json | undefined {
  if (typeof value !== 'string') return undefined
  try {
    return JSON.parse(value) as Json
  } catch {
    return undefined
  }
}

function cell<T>(fits: (value: unknown) => value is T, must: string, instead: T): Cell<T>
function cell<T>(fits: (value: unknown) => boolean, must: string, instead: T): Cell<T>
function cell<T>(fits: (value: unknown) => boolean, must: string, instead: T): Cell<T> {
  return { read: value => (fits(value) ? (value as T) : DAMAGED), instead, must }
}

/** The latest time of a `Date`. */
const LATEST_MS = 8.64e15

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Math.abs(Number(value)) <= LATEST_MS
}

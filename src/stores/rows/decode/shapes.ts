/** What the JSON of a column must be like: as much of it as its readers rely on. */
import { isJsonObject, type Json } from '../../../core/text/json.ts'

/** Undefined: the field is not there. */
export type Fits = (value: Json | undefined) => boolean

export const isText: Fits = value => typeof value === 'string'
export const isNumber: Fits = value => typeof value === 'number'
export const isObject: Fits = value => isJsonObject(value)
export const isTime: Fits = value => typeof value === 'string' && !Number.isNaN(Date.parse(value))

export function isOneOf(known: readonly string[]): Fits {
  return value => known.includes(value as string)
}

export function orNull(fits: Fits): Fits {
  return value => value === null || fits(value)
}

/** Fits a field that older rows lack. */
export function orLeftOut(fits: Fits): Fits {
  return value => value === undefined || fits(value)
}

export function listOf(fits: Fits): Fits {
  return value => Array.isArray(value) && value.every(fits)
}

/** An object with these fields, and perhaps others. */
export function objectWith(fields: Readonly<Record<string, Fits>>): Fits {
  const all = Object.entries(fields)
  return value => isJsonObject(value) && all.every(([name, fits]) => fits(value[name]))
}

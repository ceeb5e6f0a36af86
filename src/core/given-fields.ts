import { type RefusedError, refused } from './errors.ts'

/**
 * Input from untyped code is checked before it reaches a store, which would refuse it in words of its own. A rule is what
 * is wanted, in words, and whether a value is that.
 */
export type FieldRule = readonly [wanted: string, fits: (value: unknown) => boolean]

/** A rule for each field. */
export type Rules<T> = { readonly [K in keyof Required<T>]: FieldRule }

/** Passes every value: other rules check it elsewhere. */
export const ANYTHING: FieldRule = ['anything', () => true]
export const A_TEXT: FieldRule = ['a text', value => typeof value === 'string']
export const A_NAME: FieldRule = ['a text that is not empty', value => typeof value === 'string' && value.trim() !== '']
export const A_COUNT: FieldRule = ['a whole number from 0', value => Number.isSafeInteger(value) && Number(value) >= 0]
export const A_FLAG: FieldRule = ['true or false', value => typeof value === 'boolean']
export const A_TIME: FieldRule = ['an ISO time', value => typeof value === 'string' && !Number.isNaN(Date.parse(value))]
export const A_FUNCTION: FieldRule = ['a function', value => typeof value === 'function']
export const A_SIGNAL: FieldRule = ['an AbortSignal', value => value instanceof AbortSignal]
export const AN_OBJECT: FieldRule = [
  'an object',
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
]
export const A_LIST: FieldRule = ['a list', Array.isArray]
export const TEXTS: FieldRule = [
  'a list of texts',
  value => Array.isArray(value) && value.every(each => typeof each === 'string'),
]

export function oneWordOf(words: readonly string[]): FieldRule {
  return [`one of ${words.join(', ')}`, value => words.includes(value as string)]
}

export function orNothing([wanted, fits]: FieldRule): FieldRule {
  return [`${wanted}, or null`, value => value === null || fits(value)]
}

/** Every field may be left out. @throws RefusedError `invalid_arguments` */
export function checkFields<T extends object>(what: string, given: T, rules: Readonly<Record<string, FieldRule>>): T {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw unfit(`${what} takes an object`, given)
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (!rule) throw unknownField(what, name, Object.keys(rules))
    if (value !== undefined && !rule[1](value)) throw unfit(`${name} of ${what} is ${rule[0]}`, value)
  }
  return given
}

/** @throws RefusedError `invalid_arguments` */
export function checkValue<T>(what: string, value: T, [wanted, fits]: FieldRule): T {
  if (!fits(value)) throw unfit(`${what} is ${wanted}`, value)
  return value
}

function unfit(rule: string, value: unknown): RefusedError {
  return refused('invalid_arguments', `${rule}, not ${inWords(value)}.`, 'Nothing was done. Correct it and call again.')
}

function unknownField(what: string, name: string, known: readonly string[]): RefusedError {
  return refused('invalid_arguments', `${what} has no ${JSON.stringify(name)}.`, `It takes ${known.join(', ')}.`)
}

/** Describes a value in words: JSON cannot express every value of untyped code. */
export function inWords(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}

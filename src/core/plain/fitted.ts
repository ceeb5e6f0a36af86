import { copyJson, type Json } from '../text/json.ts'

/**
 * P9: arguments that the schema of their tool made of what a model or a person wrote. They are what people are shown and
 * what runs, so nobody evaluates the schema on them again: a transform would change them once more.
 */
const made = new WeakSet<object>()

/** On copies, which tools may be handed by another copy of this package. */
const FITTED = Symbol.for('holdpoint.fitted')

/** Marks them. Their copies are marked by `copyArguments` alone. */
export function asFitted<T extends Json>(args: T): T {
  if (typeof args === 'object' && args !== null) made.add(args)
  return args
}

export function isFitted(args: object): boolean {
  return made.has(args) || FITTED in args
}

/** A copy that its taker may change. */
export function copyArguments<T extends Json>(args: T): T {
  const copy = copyJson(args)
  if (typeof args === 'object' && args !== null && isFitted(args)) Object.defineProperty(copy, FITTED, { value: true })
  return copy
}

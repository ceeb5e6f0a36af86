import { copyJson, type Json } from '../text/json.ts'

/**
 * P9: arguments that the schema of their tool made from the input of a model or a person. People see these, and these
 * run. So the schema is not evaluated on them again: a transform would change them once more.
 */
const made = new WeakSet<object>()

/** The mark on copies, which another copy of this package may hand to tools. */
const FITTED = Symbol.for('holdpoint.fitted')

/** Marks the arguments. Only `copyArguments` marks their copies. */
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

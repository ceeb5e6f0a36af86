/**
 * What a person typed, as JSON. Pure.
 * F1  A value keeps its type and is exact: a number that would become another one is a fault.
 */
import type { Json } from '../api/documents.ts'

export type ReadValue = { readonly value: Json } | { readonly fault: string }

/** True if JSON and this machine have the same number. */
export function isKept(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

const IS_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** F1. */
export function readNumber(text: string, isInteger: boolean): ReadValue {
  const trimmed = text.trim()
  if (!IS_NUMBER.test(trimmed)) return { fault: 'This is not a number.' }
  const value = Number(trimmed)
  if (!isKept(value)) return { fault: 'This number cannot be kept exactly. Write it as text, if the tool takes that.' }
  if (isInteger && !Number.isInteger(value)) return { fault: 'This must be a whole number.' }
  return { value }
}

interface Source {
  readonly source?: string
}

/** F1. */
export function readJson(text: string): ReadValue {
  const changed: string[] = []
  const revive = (_: string, value: Json, { source }: Source = {}) => {
    if (typeof value === 'number' && !isKept(value)) changed.push(source ?? String(value))
    return value
  }
  try {
    const value = JSON.parse(text, revive as (key: string, value: Json) => Json) as Json
    if (changed.length === 0) return { value }
    return { fault: `${changed[0]} cannot be kept exactly as a number.` }
  } catch (thrown) {
    return { fault: `This is not JSON: ${thrown instanceof Error ? thrown.message : 'it cannot be read'}.` }
  }
}

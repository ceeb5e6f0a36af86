import { canonicalJson, isJsonObject, type Json, type JsonObject } from './json.ts'

/** One place where two values differ; absent is `null`. */
export interface Difference {
  /** `arguments.order`, `schema.properties.amount.type`; list members by their index. */
  readonly path: string
  readonly was: Json
  readonly is: Json
}

/** More would not be read. */
const MOST = 20

/** Where two objects differ, at most the first 20 places, in the order of their keys. */
export function differences(was: JsonObject, is: JsonObject): Difference[] {
  return [...between(was, is, '')].slice(0, MOST)
}

function* between(was: Json, is: Json, path: string): Generator<Difference> {
  if (canonicalJson(was) === canonicalJson(is)) return
  const [before, after] = [asRecord(was), asRecord(is)]
  if (before === null || after === null) {
    yield { path, was, is }
    return
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* between(before[key] ?? null, after[key] ?? null, path === '' ? key : `${path}.${key}`)
  }
}

function asRecord(value: Json): JsonObject | null {
  if (isJsonObject(value)) return value
  return Array.isArray(value) ? Object.fromEntries(value.entries()) : null
}

import { canonicalJson, isJsonObject, type Json, type JsonObject, jsonText } from './json.ts'
import { jsonPath } from './json-path.ts'

/** One place at which two values differ; absent is `null`. */
export interface Difference {
  /** `arguments.items[0].order`, `schema.properties["a.b"].type`. */
  readonly path: string
  readonly was: Json
  readonly is: Json
}

/** The usual limit: a reader who did not ask for more reads no further. */
const MOST = 20

/** The places at which two objects differ: the first `most`, in the order of their keys. */
export function differences(was: JsonObject, is: JsonObject, most: number = MOST): Difference[] {
  const found: Difference[] = []
  for (const { place, ...values } of between(was, is, [])) {
    found.push({ path: jsonPath('', place).replace(/^\./, ''), ...values })
    if (found.length === most) break
  }
  return found
}

/** Empty if only entries that are null came or went. `amount: 41.2 \u2192 30`, for each place that differs. */
export function changesText(was: JsonObject, is: JsonObject): string {
  const changes = differences(was, is, MOST + 1)
  const texts = changes.slice(0, MOST).map(change => {
    if (change.is === null) return `without ${change.path}`
    const before = change.was === null ? '' : `${jsonText(change.was)} \u2192 `
    return `${change.path}: ${before}${jsonText(change.is)}`
  })
  return [...texts, ...(changes.length > MOST ? ['and more'] : [])].join(', ')
}

type JsonPath = readonly (string | number)[]

function* between(was: Json, is: Json, place: JsonPath): Generator<{ place: JsonPath; was: Json; is: Json }> {
  if (canonicalJson(was) === canonicalJson(is)) return
  const [before, after] = [membersOf(was), membersOf(is)]
  if (before === null || after === null || Array.isArray(was) !== Array.isArray(is)) {
    yield { place, was, is }
    return
  }
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    yield* between(before.get(key) ?? null, after.get(key) ?? null, [...place, key])
  }
}

function membersOf(value: Json): ReadonlyMap<string | number, Json> | null {
  if (isJsonObject(value)) return new Map(Object.entries(value))
  return Array.isArray(value) ? new Map(value.entries()) : null
}

/** Any value that survives `JSON.parse(JSON.stringify(value))`. Absent is `null`, never `undefined`. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/**
 * JSON with object keys in code-unit order and no white space. Equal values give equal text, so digests are taken over
 * it. Follows RFC 8785 for everything but exotic numbers.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const entries = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`)
  return `{${entries.join(',')}}`
}

/** A copy to hand out: its reader may change it. Some ten times faster than `structuredClone` on what calls carry. */
export function copyJson<T extends Json>(value: T): T {
  return copied(value) as T
}

// `fromEntries` defines what it sets: a key `__proto__` stays a key.
function copied(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (isArray(value)) return value.map(copied)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]))
}

/** Deeper than people nest on purpose, and far from the depth at which recursion fails. */
const DEEPEST = 100

/** True for what only a mistake or an attack nests: no step of ours recurses over more than this. */
export function isTooDeep(value: Json): boolean {
  let level: Json[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true
    level = level.flatMap(inner => (typeof inner === 'object' && inner !== null ? Object.values(inner) : []))
  }
  return false
}

/** Where a value is what JSON has no words for, and would leave out or call `null`, as a path; `null` if it is plain. */
export function oddInJson(value: unknown, path: string): string | null {
  if (typeof value !== 'object') return isWord(value) ? null : `${path} is ${oddWord(value)}`
  for (const [key, inner] of Object.entries(value ?? {})) {
    if (inner === undefined && !Array.isArray(value)) continue
    const odd = oddInJson(inner, `${path}.${key}`)
    if (odd !== null) return odd
  }
  return null
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

function oddWord(value: unknown): string {
  return typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value)
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

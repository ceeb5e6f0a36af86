/** Any value that survives `JSON.parse(JSON.stringify(value))`. Absent is `null`, never `undefined`. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/**
 * JSON with object keys in code-unit order and no white space: equal values give equal text, whatever order their
 * keys were written in. Digests are taken over this text. Follows RFC 8785 for everything but exotic numbers.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const entries = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`)
  return `{${entries.join(',')}}`
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value)
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

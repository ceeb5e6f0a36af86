import type { Json } from '../core/json.ts'

/** As the journal gives it back. What somebody's code returns may be a live object. @throws where it is no JSON. */
export function plainJson(value: Json): Json {
  return JSON.parse(JSON.stringify(value))
}

import type { JsonObject } from '../../core/json.ts'

/** For whoever takes JSON alone. */
export function asJson(document: object): JsonObject {
  return JSON.parse(JSON.stringify(document))
}

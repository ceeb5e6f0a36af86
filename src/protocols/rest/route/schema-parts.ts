/** Parts of the JSON Schemas (2020-12) of the table. */
import type { JsonObject } from '../../../core/text/json.ts'

export const TEXT: JsonObject = { type: 'string' }
/** An id or a name. */
export const NAME: JsonObject = { type: 'string', minLength: 1, maxLength: 500 }
export const FLAG: JsonObject = { type: 'boolean' }
export const TIME: JsonObject = { type: 'string', format: 'date-time' }

const MOST = 500

/** How lists are read page by page. */
export const PAGE: Readonly<Record<string, JsonObject>> = {
  limit: { type: 'integer', minimum: 1, maximum: MOST, default: 50 },
  after: { ...NAME, description: 'The `next` of the page before.' },
}

export function words(...allowed: readonly string[]): JsonObject {
  return { type: 'string', enum: [...allowed] }
}

/** An object without other keys. */
export function object(properties: Readonly<Record<string, JsonObject>>, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties: { ...properties }, required: [...required], additionalProperties: false }
}

/** The version of a hold that its decider had in view. */
export const SEEN: JsonObject = object({
  digest: described(NAME, 'If the hold has another digest by now, nothing is recorded.'),
  level: { type: 'integer', minimum: 0, description: 'The same, if it was escalated since.' },
})

export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items }
}

export function described(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description }
}

/** Images, files and texts; the face checks them. */
export const PARTS: JsonObject = { ...listOf({ type: 'object' }), minItems: 1 }

/** The content that begins a run: a text, or parts. */
export const CONTENT: JsonObject = { anyOf: [{ ...TEXT, minLength: 1 }, PARTS] }

/** The content of a message: a text, parts, or both. */
export const SAID: Readonly<Record<string, JsonObject>> = { text: { ...TEXT, minLength: 1 }, parts: PARTS }

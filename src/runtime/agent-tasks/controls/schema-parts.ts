import type { JsonObject } from '../../../core/text/json.ts'

export function object(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false }
}

export function text(description: string): JsonObject {
  return { type: 'string', minLength: 1, description }
}

export function orNull(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }] }
}

export const NULLABLE_TEXT: JsonObject = { type: ['string', 'null'] }

/** The names of all properties but one, which may be left out. */
export function namesBut(optional: string, properties: JsonObject): string[] {
  return Object.keys(properties).filter(name => name !== optional)
}

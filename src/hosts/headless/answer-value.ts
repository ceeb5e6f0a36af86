import type { Json, JsonObject } from '../../core/json.ts'

/** What a text on a command line means as an answer: itself, or JSON where the question asks for more than text. */
export function answerValue(text: string, schema: JsonObject | null): Json {
  if (schema === null || schema['type'] === 'string') return text
  try {
    return JSON.parse(text) as Json
  } catch {
    // Then it is text, and the schema says whether that will do.
    return text
  }
}

import type { Json } from '../text/json.ts'
import type { Hold } from './hold.ts'

/**
 * What a text on a command line means as an answer: itself, or JSON where the question asks for more than text. The result
 * of a call that runs elsewhere is JSON wherever it reads as such.
 */
export function answerValue(text: string, asked: Pick<Hold, 'kind' | 'response_schema'> | undefined): Json {
  const { kind, response_schema: schema = null } = asked ?? {}
  const isText = schema === null ? kind !== 'client_tool' : schema['type'] === 'string'
  if (isText) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    // Then it is text, and the schema says whether that will do.
    return text
  }
}

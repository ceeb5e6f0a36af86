import type { Json } from '../text/json.ts'
import type { Hold } from './hold.ts'

/**
 * The value of a text answer on a command line: the text itself, or JSON if the question asks for more than text. The
 * result of a call that runs elsewhere is read as JSON if it can be.
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

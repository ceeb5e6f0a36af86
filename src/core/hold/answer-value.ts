import { readFitting } from '../plain/read-fitting.ts'
import type { Json } from '../text/json.ts'
import type { Hold } from './hold.ts'

/**
 * The value of a text answer on a command line: the text itself, or JSON if the question asks for more than text. The
 * result of a call that runs elsewhere is read as JSON if it can be. A text that is no JavaScript value stays text.
 */
export function answerValue(text: string, asked: Pick<Hold, 'kind' | 'response_schema'> | undefined): Json {
  const { kind, response_schema: schema = null } = asked ?? {}
  const isText = schema === null ? kind !== 'client_tool' : schema['type'] === 'string'
  if (isText) return text
  try {
    const { value, faults } = readFitting(text, schema ?? {})
    return faults.length === 0 ? value : text
  } catch {
    // Such an answer is text, and the schema decides whether that is enough.
    return text
  }
}

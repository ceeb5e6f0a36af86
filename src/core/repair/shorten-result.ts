import type { ToolMessage } from '../journal/message.ts'
import { resultIn } from '../journal/tool-message.ts'
import { isJsonObject, type Json } from '../text/json.ts'
import { cutText } from '../text/kept-text.ts'

/** The tool that gives back what was shortened. */
export const READ_RESULT = 'read_result'

/** Fewer characters than this are no gain. */
const WORTH = 200

export function resultText(content: Json): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/**
 * The head and the tail of a long result, `keep` characters each, and how to read the rest; the same message if it is
 * not long. What people said about the call stays as it is.
 */
export function shortenedResult(message: ToolMessage, keep: number): ToolMessage {
  const { content } = message
  if (message.is_error && isRefusedByPerson(content)) return message
  const result = resultIn(message)
  const text = resultText(result)
  const left = text.length - 2 * keep
  if (left <= WORTH) return message
  const short = shortened(text, { keep, left, call_id: message.tool_call_id })
  const { parts: _, ...others } = message
  return { ...others, content: result !== content && isJsonObject(content) ? { ...content, result: short } : short }
}

/** True for a result by which the model learns what a person decided. */
function isRefusedByPerson(content: Json): boolean {
  return typeof content === 'string' && content.startsWith('TOOL_CALL_REJECTED')
}

interface Cut {
  readonly keep: number
  readonly left: number
  readonly call_id: string
}

function shortened(text: string, { keep, left, call_id }: Cut): string {
  // The same cut from behind: half of a character is no text.
  const tail = text.slice(-keep).replace(/^[\udc00-\udfff]/, '')
  const rest = `${READ_RESULT} with call_id ${JSON.stringify(call_id)} gives all of it`
  return `${cutText(text, keep)}\n[… ${left} characters left out; ${rest} …]\n${tail}`
}

import type { CallToolResult } from '@modelcontextprotocol/server'
import { HoldpointError, messageOf, RefusedError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import { TOOL_WORDS } from '../../../core/tool-words.ts'

/** A result in both forms: for programs, and as text for clients that know no other. */
export function toolResult(result: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } }
}

/** An error for the model, which can react to it. */
export function toolError(thrown: unknown): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify({ error: errorIn(thrown) }) }], isError: true }
}

function errorIn(thrown: unknown): { code: string; message: string; hint: string | null; details: object } {
  if (!(thrown instanceof HoldpointError))
    return {
      code: 'internal_error',
      message: messageOf(thrown),
      hint: 'This is a fault of a program, not of your input; the log of the server tells its place.',
      details: {},
    }
  const { code, message } = thrown
  return {
    code,
    message,
    hint: thrown.hintIn(TOOL_WORDS),
    details: thrown instanceof RefusedError ? thrown.details : {},
  }
}

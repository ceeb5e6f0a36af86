import type { Decision } from '../hold/decision.ts'
import type { ContentPart } from '../message/part.ts'
import type { ToolCall } from '../run/tool-call.ts'
import type { Json } from '../text/json.ts'
import type { ToolMessage } from './message.ts'

/** The result of a call as the model sees it. If a person changed the arguments, both and the person are named. */
export function toolMessage(call: ToolCall, edit: Decision | null): ToolMessage {
  const content = asEdited(call, edit, call.error ? `${call.error.code}: ${call.error.message}` : call.output)
  return {
    role: 'tool',
    tool_call_id: call.id,
    tool_name: call.name,
    content,
    ...(call.parts && !call.error && { parts: edit ? noted(call.parts, content) : call.parts }),
    is_error: call.error !== null,
  }
}

function noted(parts: readonly ContentPart[], note: Json): readonly ContentPart[] {
  return [{ type: 'text', text: JSON.stringify(note) }, ...parts.filter(({ type }) => type !== 'text')]
}

const RAN = 'the result is that of the executed arguments.'
const DID_NOT_RUN = 'it did not run with them.'

function asEdited(call: ToolCall, edit: Decision | null, result: Json): Json {
  if (!edit) return result
  return {
    note: `${edit.decided_by} approved this call with other arguments; ${call.attempt > 0 ? RAN : DID_NOT_RUN}`,
    original_arguments: call.arguments,
    [call.attempt > 0 ? 'executed_arguments' : 'edited_arguments']: call.final_arguments,
    result,
  }
}

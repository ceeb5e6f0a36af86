import type { Decision } from '../hold/decision.ts'
import type { ToolCall } from '../run/tool-call.ts'
import type { Json } from '../text/json.ts'
import type { ToolMessage } from './message.ts'

/** The result of a call as the model sees it. Where a person changed the arguments, both and the person are named. */
export function toolMessage(call: ToolCall, edit: Decision | null): ToolMessage {
  return {
    role: 'tool',
    tool_call_id: call.id,
    tool_name: call.name,
    content: asEdited(call, edit, call.error ? `${call.error.code}: ${call.error.message}` : call.output),
    is_error: call.error !== null,
  }
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

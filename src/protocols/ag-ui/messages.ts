/** A conversation as messages of AG-UI: each answer of the model is one, and each result of a call. */
import type { HoldState } from '../../core/journal/thread.ts'
import type { AnswerPart } from '../../core/message/part.ts'
import { contentText } from '../../core/message/part-words.ts'
import { isFinal, type ToolCall } from '../../core/run/tool-call.ts'
import { type ChatMessage, holdOf, type Turn } from '../turns/chat-message.ts'
import type { AgUiCall, AgUiMessage } from './ag-ui-event.ts'
import { contentOut } from './input-content.ts'

export function messagesOf(messages: readonly ChatMessage[]): readonly AgUiMessage[] {
  return messages.flatMap((message): readonly AgUiMessage[] =>
    message.role === 'user'
      ? [{ id: message.id, role: 'user', content: contentOut(message.content) }]
      : turnMessages(message),
  )
}

/** The message of one answer: the same from its first piece on, and in every process. */
export function answerId({ id }: Turn, step: number): string {
  return `${id}.${step}`
}

/** The message of a result: a client that gave it has one already. */
export function resultId({ id }: ToolCall, hold: HoldState | null): string {
  return hold?.decision?.input_id ?? `result.${id}`
}

/** All that the model says aloud in one answer. */
export function textOf(parts: readonly AnswerPart[]): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

export function thoughtsOf(parts: readonly AnswerPart[]): string {
  return parts.map(part => (part.type === 'reasoning' ? part.text : '')).join('')
}

function turnMessages(turn: Turn): readonly AgUiMessage[] {
  return turn.steps.flatMap((step, index): readonly AgUiMessage[] => {
    const text = textOf(step.parts)
    const { calls } = step
    if (text === '' && calls.length === 0) return []
    const said = text === '' ? {} : { content: text }
    const asked = calls.length === 0 ? {} : { toolCalls: calls.map(callOut) }
    const results = calls.filter(({ status }) => isFinal(status))
    return [
      { id: answerId(turn, index), role: 'assistant', ...said, ...asked },
      ...results.map((call): AgUiMessage => {
        const id = resultId(call, holdOf(step, call.id))
        return { id, role: 'tool', toolCallId: call.id, ...resultOf(call) }
      }),
    ]
  })
}

/** With the arguments that run. */
function callOut({ id, name, final_arguments: args }: ToolCall): AgUiCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return { id, type: 'function', function: { name, arguments: text } }
}

/** A refusal is a result, which clients can tell from a failure. */
const DENIED: readonly string[] = ['TOOL_CALL_REJECTED', 'QUESTION_DECLINED']

export function resultOf({ output, parts, error }: ToolCall): { readonly content: string; readonly error?: string } {
  if (error && DENIED.includes(error.code)) return { content: JSON.stringify({ denied: true, reason: error.message }) }
  if (error) return { content: `${error.code}: ${error.message}`, error: error.message }
  if (parts) return { content: contentText(parts) }
  return { content: typeof output === 'string' ? output : JSON.stringify(output) }
}

/** A conversation as messages of AG-UI: each answer of the model is one, and each result of a call. */

import type { HoldState } from '../../core/journal/thread.ts'
import type { AnswerPart, Content, ContentPart, FileSource } from '../../core/message/part.ts'
import { contentText } from '../../core/message/part-words.ts'
import { isFinal, type ToolCall } from '../../core/run/tool-call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { type ChatMessage, holdOf, type Turn } from '../turns/chat-message.ts'
import type { AgUiCall, AgUiMessage, InputContent, InputSource } from './ag-ui-event.ts'

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

/** All text of one answer of the model. */
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

/** A refusal is a result, which clients can distinguish from a failure. */
const DENIED: readonly string[] = ['TOOL_CALL_REJECTED', 'QUESTION_DECLINED']

export function resultOf({ output, parts, error }: ToolCall): { readonly content: string; readonly error?: string } {
  if (error && DENIED.includes(error.code)) return { content: JSON.stringify({ denied: true, reason: error.message }) }
  if (error) return { content: `${error.code}: ${error.message}`, error: error.message }
  if (parts) return { content: contentText(parts) }
  return { content: typeof output === 'string' ? output : JSON.stringify(output) }
}

/** The content of a posted message, for the face to check: what it cannot be is refused there. */
export function contentIn(content: Json): Content {
  return Array.isArray(content) ? content.map(partIn) : (content as string)
}

const FAMILY: Readonly<Record<string, string>> = {
  image: 'image/*',
  audio: 'audio/*',
  video: 'video/*',
  document: 'application/pdf',
}

function partIn(part: Json): ContentPart {
  if (!isJsonObject(part)) return part as unknown as ContentPart
  const { type, source, mimeType, data, url, filename } = part
  // Clients before 1.0 send files like this, too.
  if (type === 'binary') return filePart({ mimeType, data, url, filename }, String(mimeType))
  if (typeof type !== 'string' || !isJsonObject(source) || !Object.hasOwn(FAMILY, type))
    return part as unknown as ContentPart
  const { value, mimeType: own = FAMILY[type] } = source
  return filePart({ mimeType: own, [source['type'] === 'url' ? 'url' : 'data']: value }, String(own))
}

function filePart({ data, url, filename }: Partial<JsonObject>, mediaType: string): ContentPart {
  return {
    type: mediaType.startsWith('image/') ? 'image' : 'file',
    media_type: mediaType,
    ...(data === undefined ? { url } : { data }),
    ...(typeof filename === 'string' && { name: filename }),
  } as ContentPart
}

/** A content of ours as clients show it. */
export function contentOut(content: Content): string | readonly InputContent[] {
  return typeof content === 'string' ? content : content.map(partOut)
}

function partOut(part: ContentPart): InputContent {
  if (part.type === 'text') return { type: 'text', text: part.text }
  return { type: kindOf(part), source: sourceOf(part, part.media_type) }
}

function kindOf({ media_type }: { readonly media_type: string }): 'image' | 'audio' | 'video' | 'document' {
  const [family] = media_type.split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
}

function sourceOf({ data, url }: FileSource, mimeType: string): InputSource {
  return data === undefined ? { type: 'url', value: url, mimeType } : { type: 'data', value: data, mimeType }
}

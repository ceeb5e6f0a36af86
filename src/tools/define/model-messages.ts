import type { AssistantMessage, Message, ToolMessage } from '../../core/journal/message.ts'
import type { AnswerPart, Content, ContentPart } from '../../core/message/part.ts'

/** A `ModelMessage` of the AI SDK. Its parts are those of the AI SDK too. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | readonly Readonly<Record<string, unknown>>[]
}

type Part = Readonly<Record<string, unknown>>

/** A conversation as the tools of the AI SDK know it: the results of one answer's calls are one message. */
export function modelMessages(messages: readonly Message[]): readonly ModelMessage[] {
  const made: { readonly role: ModelMessage['role']; content: string | readonly Part[] }[] = []
  for (const message of messages) {
    const last = made.at(-1)
    if (message.role !== 'tool') made.push({ role: message.role, content: contentOf(message) })
    else if (last?.role === 'tool') last.content = [...(last.content as readonly Part[]), resultPart(message)]
    else made.push({ role: 'tool', content: [resultPart(message)] })
  }
  return made
}

function contentOf(message: Exclude<Message, ToolMessage>): string | readonly Part[] {
  if (message.role === 'assistant') return answerContent(message)
  return typeof message.content === 'string' ? message.content : contentParts(message.content)
}

function contentParts(content: Exclude<Content, string>): readonly Part[] {
  return content.map((part): Part => (part.type === 'text' ? { type: 'text', text: part.text } : filePart(part)))
}

function filePart({ media_type, name, data, url }: Exclude<ContentPart, { readonly type: 'text' }>): Part {
  const source = url === undefined ? data : new URL(url)
  return { type: 'file', mediaType: media_type, data: source, ...(name !== undefined && { filename: name }) }
}

function answerContent({ content, tool_calls }: AssistantMessage): string | readonly Part[] {
  if (typeof content === 'string' && tool_calls.length === 0) return content
  const calls = new Map(tool_calls.map(call => [call.id, call]))
  const parts: readonly AnswerPart[] = typeof content === 'string' ? textThenCalls(content, [...calls.keys()]) : content
  return parts.flatMap((part): Part[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.text }]
    const call = calls.get(part.id)
    return call ? [{ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.arguments }] : []
  })
}

function textThenCalls(text: string, calls: readonly string[]): readonly AnswerPart[] {
  const places = calls.map((id): AnswerPart => ({ type: 'tool_call', id }))
  return text === '' ? places : [{ type: 'text', text }, ...places]
}

function resultPart({ tool_call_id, tool_name, content, parts, is_error }: ToolMessage): Part {
  return { type: 'tool-result', toolCallId: tool_call_id, toolName: tool_name, output: outputOf() }

  function outputOf(): Part {
    if (is_error) return { type: 'error-text', value: typeof content === 'string' ? content : JSON.stringify(content) }
    if (parts) return { type: 'content', value: contentParts(parts) }
    return typeof content === 'string' ? { type: 'text', value: content } : { type: 'json', value: content }
  }
}

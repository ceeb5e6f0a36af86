import type {
  JSONValue,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { AssistantMessage, Message, MessageCall, ToolMessage } from '../core/journal/message.ts'
import { isJsonObject } from '../core/text/json.ts'

/**
 * The conversation as providers accept it: one system message in front, no empty message, the results of one answer's
 * calls together in one tool message (P5).
 */
export function toPrompt(system: string | null, messages: readonly Message[]): LanguageModelV4Prompt {
  const instructions = [system ?? '', ...messages.map(message => (message.role === 'system' ? message.content : ''))]
    .filter(hasText)
    .join('\n\n')
  const prompt: LanguageModelV4Message[] = hasText(instructions) ? [{ role: 'system', content: instructions }] : []
  for (const message of messages) add(message, prompt)
  return prompt
}

function add(message: Message, prompt: LanguageModelV4Message[]): void {
  if (message.role === 'user' && hasText(message.content)) {
    prompt.push({ role: 'user', content: [{ type: 'text', text: message.content }] })
  }
  if (message.role === 'assistant' && (hasText(message.content) || message.tool_calls.length > 0)) {
    prompt.push(assistant(message))
  }
  if (message.role === 'tool') {
    const last = prompt.at(-1)
    if (last?.role === 'tool') last.content.push(result(message))
    else prompt.push({ role: 'tool', content: [result(message)] })
  }
}

function assistant({ content, tool_calls }: AssistantMessage): LanguageModelV4Message {
  const text = hasText(content) ? [{ type: 'text' as const, text: content }] : []
  return { role: 'assistant', content: [...text, ...tool_calls.map(toolCall)] }
}

function toolCall(call: MessageCall): LanguageModelV4ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: wireId(call.id),
    toolName: call.name,
    // Providers take objects only. What was wrong with a broken text is in the call's result.
    input: typeof call.arguments === 'string' ? {} : call.arguments,
    ...(isJsonObject(call.metadata) ? { providerOptions: call.metadata as SharedV4ProviderOptions } : {}),
  }
}

function result({ tool_call_id, tool_name, content, is_error }: ToolMessage): LanguageModelV4ToolResultPart {
  const part = { type: 'tool-result' as const, toolCallId: wireId(tool_call_id), toolName: tool_name }
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  if (is_error) return { ...part, output: { type: 'error-text', value: text } }
  if (typeof content === 'string') return { ...part, output: { type: 'text', value: text } }
  return { ...part, output: { type: 'json', value: content as JSONValue } }
}

/** An id that one provider gave may not suit the next model of the thread: Anthropic takes only these characters. */
function wireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, character => `_${character.charCodeAt(0).toString(16)}_`)
}

/** White space alone is no text: Anthropic refuses it. */
function hasText(text: string): boolean {
  return text.trim() !== ''
}

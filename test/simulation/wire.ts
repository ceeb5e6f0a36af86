/** The conversation as each of the two kinds of provider would get it. */
import type { Message } from '../../src/core/journal/message.ts'
import { contentText } from '../../src/core/message/part-words.ts'
import { checkAnthropicOrder, checkOpenAiOrder } from '../../src/testing/kit/provider-order.ts'

/** What is wrong with a request in either form; empty where nothing is. */
export function faultsOf(messages: readonly Message[]): string[] {
  const said = messages.filter(saysSomething)
  return [
    ...checkOpenAiOrder({ messages: said.map(forOpenAi) }),
    ...checkAnthropicOrder({ messages: forAnthropic(said) }),
  ]
}

/** Providers refuse white space alone, so every adapter leaves it out. */
function saysSomething(message: Message): boolean {
  return message.role !== 'assistant' || message.tool_calls.length > 0 || contentText(message.content).trim() !== ''
}

function forOpenAi(message: Message): unknown {
  const { role } = message
  const content = message.role === 'tool' ? message.content : contentText(message.content)
  if (message.role === 'tool') return { role, tool_call_id: message.tool_call_id, content: JSON.stringify(content) }
  if (role !== 'assistant' || message.tool_calls.length === 0) return { role, content }
  const tool_calls = message.tool_calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(typeof args === 'string' ? {} : args) },
  }))
  return { role, content: String(content).trim() === '' ? null : content, tool_calls }
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: unknown[]
}

/** Results are the user's; what one side says in a row is one message. */
function forAnthropic(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...blocksOf(message))
    else turns.push({ role, content: blocksOf(message) })
  }
  return turns
}

function blocksOf(message: Message): unknown[] {
  if (message.role === 'tool') {
    const { tool_call_id: tool_use_id, content, is_error } = message
    return [{ type: 'tool_result', tool_use_id, content: JSON.stringify(content), is_error }]
  }
  const said = contentText(message.content)
  const text = said.trim() === '' ? [] : [{ type: 'text', text: said }]
  if (message.role !== 'assistant') return text
  const calls = message.tool_calls.map(({ id, name, arguments: args }) => ({
    type: 'tool_use',
    id,
    name,
    input: typeof args === 'string' ? {} : args,
  }))
  return [...text, ...calls]
}

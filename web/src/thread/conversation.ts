import type { HumanMessage } from '../../../src/core/journal/human-thread.ts'

export type Message = HumanMessage
export type MessageCall = NonNullable<HumanMessage['tool_calls']>[number]

/** A call as the conversation shows it: with its result, once there is one. */
export interface ShownCall extends MessageCall {
  /** `null` while it has none. */
  readonly result: Message | null
}

export interface Entry {
  readonly message: Message
  readonly calls: readonly ShownCall[]
}

/** The messages in order. The result of a call belongs to its call, and is no entry of its own. */
export function conversationOf(messages: readonly Message[]): readonly Entry[] {
  const results = new Map<string, Message>()
  for (const message of messages)
    if (message.role === 'tool' && message.tool_call_id !== null) results.set(message.tool_call_id, message)
  const asked = new Set(messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []))
  return messages
    .filter(({ role, tool_call_id }) => role !== 'tool' || !asked.has(tool_call_id ?? ''))
    .map(message => ({
      message,
      calls: (message.tool_calls ?? []).map(call => ({ ...call, result: results.get(call.id) ?? null })),
    }))
}

import type { Json, JsonObject } from '../text/json.ts'

/** One call inside an assistant message. `arguments` is text where the model's own JSON was broken. */
export interface MessageCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject | string
  /** What the provider wants back with the call; `null` where nothing. */
  readonly metadata: Json
}

export interface UserMessage {
  readonly role: 'user'
  readonly content: string
  /** Who said it; `null` where nobody told. */
  readonly author: string | null
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: string
  readonly tool_calls: readonly MessageCall[]
}

/** The result of one call. `is_error` marks denials and failures, which the model sees as `CODE: message`. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly tool_name: string
  readonly content: Json
  readonly is_error: boolean
}

export interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

export type Message = UserMessage | AssistantMessage | ToolMessage | SystemMessage

import type { AnswerPart, Content, ContentPart } from '../message/part.ts'
import type { Json, JsonObject } from '../text/json.ts'

/** One call inside an assistant message. `arguments` is text if the model's own JSON was broken. */
export interface MessageCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject | string
  /** Data that the provider wants back with the call; `null` if none. */
  readonly metadata: Json
}

/** A message of a person, or of the agent that started the run. */
export interface UserMessage {
  readonly role: 'user'
  /** A text, or parts. */
  readonly content: Content
  /** The author; `null` if unknown. */
  readonly author: string | null
}

/** An answer of the model, with the calls that it asks for. */
export interface AssistantMessage {
  readonly role: 'assistant'
  /** The text; or parts, if the model gave more than a text and then calls. `tool_calls` has every call either way. */
  readonly content: string | readonly AnswerPart[]
  readonly tool_calls: readonly MessageCall[]
}

/** A person's comment on a decision, and what the person decided. */
export interface Comment {
  readonly by: string
  readonly did: string
  readonly text: string
}

/** The result of one call. `is_error` marks denials and failures, which the model sees as `CODE: message`. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly tool_name: string
  /** The tool's result; parts are described in words. With edits or comments: a note of them, with the `result` in it. */
  readonly content: Json
  /** Left out if the tool returned plain JSON. */
  readonly parts?: readonly ContentPart[]
  /** The comments of people on the call, which are also in the note of `content`. Left out if there are none. */
  readonly comments?: readonly Comment[]
  readonly is_error: boolean
}

/** An instruction amid the conversation. */
export interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

/** A message of the conversation, as models get it. */
export type Message = UserMessage | AssistantMessage | ToolMessage | SystemMessage

/** A message that the run gets at its next boundary. */
export interface QueuedMessage {
  readonly content: Content
  readonly author: string | null
  /** True if it takes the place of the calls that have not begun. */
  readonly supersede: boolean
  /** True if running work is to stop for it, too. */
  readonly interrupt: boolean
}

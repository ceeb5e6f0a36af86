/** The part of the AG-UI wire that is sent: every kind of it is known to clients of 1.0 and of 0.0.59. */
import type { Json, JsonObject } from '../../core/text/json.ts'

/** A part of a user's message. */
export type InputContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio' | 'video' | 'document'; readonly source: InputSource }

export type InputSource =
  | { readonly type: 'data'; readonly value: string; readonly mimeType: string }
  | { readonly type: 'url'; readonly value: string; readonly mimeType?: string }

export interface AgUiCall {
  readonly id: string
  readonly type: 'function'
  /** `arguments` is JSON text. */
  readonly function: { readonly name: string; readonly arguments: string }
}

export type AgUiMessage =
  | { readonly id: string; readonly role: 'user'; readonly content: string | readonly InputContent[] }
  | {
      readonly id: string
      readonly role: 'assistant'
      readonly content?: string
      readonly toolCalls?: readonly AgUiCall[]
    }
  | {
      readonly id: string
      readonly role: 'tool'
      readonly toolCallId: string
      readonly content: string
      readonly error?: string
    }

/** A hold as clients of AG-UI are asked about it. */
export interface Interrupt {
  readonly id: string
  readonly reason: 'tool_call' | 'input_required' | 'confirmation'
  readonly message: string
  readonly toolCallId?: string
  /** JSON Schema of `payload` in the answer. */
  readonly responseSchema: JsonObject
  /** ISO time. */
  readonly expiresAt?: string
  readonly metadata: JsonObject
}

export type RunOutcome =
  | { readonly type: 'success'; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: 'interrupt'; readonly interrupts: readonly Interrupt[] }
  | { readonly type: 'cancelled' }

interface Fields {
  readonly RUN_STARTED: { readonly threadId: string; readonly runId: string; readonly protocolVersion?: string }
  readonly RUN_FINISHED: {
    readonly threadId: string
    readonly runId: string
    readonly outcome: RunOutcome
    readonly result?: Json
  }
  /**
   * `holdpoint.warnings`: facts that the person should know in addition to how the run ended. `holdpoint.part`: a source, a
   * file that the model made, or a call that its provider ran.
   */
  readonly CUSTOM: { readonly name: string; readonly value: Json }
  readonly RUN_ERROR: { readonly message: string; readonly code: string }
  readonly TEXT_MESSAGE_START: { readonly messageId: string; readonly role: 'assistant' }
  readonly TEXT_MESSAGE_CONTENT: { readonly messageId: string; readonly delta: string }
  readonly TEXT_MESSAGE_END: { readonly messageId: string }
  readonly REASONING_START: { readonly messageId: string }
  readonly REASONING_MESSAGE_START: { readonly messageId: string; readonly role: 'reasoning' }
  readonly REASONING_MESSAGE_CONTENT: { readonly messageId: string; readonly delta: string }
  readonly REASONING_MESSAGE_END: { readonly messageId: string }
  readonly REASONING_END: { readonly messageId: string }
  readonly TOOL_CALL_START: {
    readonly toolCallId: string
    readonly toolCallName: string
    readonly parentMessageId: string
  }
  readonly TOOL_CALL_ARGS: { readonly toolCallId: string; readonly delta: string }
  readonly TOOL_CALL_END: { readonly toolCallId: string }
  readonly TOOL_CALL_RESULT: {
    readonly messageId: string
    readonly toolCallId: string
    readonly content: string
    readonly role: 'tool'
  }
  readonly MESSAGES_SNAPSHOT: { readonly messages: readonly AgUiMessage[] }
}

export type AgUiEvent = { [K in keyof Fields]: { readonly type: K } & Fields[K] }[keyof Fields]

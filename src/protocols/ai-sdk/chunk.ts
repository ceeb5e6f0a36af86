import type { Json } from '../../core/text/json.ts'

/** The end of a stream, as version 6 of the AI SDK knows it; version 7 knows more. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/**
 * One event of a UI message stream. Only what version 6 of the AI SDK knows as well: a chunk or a key that a client does
 * not know ends its stream with an error.
 */
export type Chunk =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' | 'finish-step' }
  | { readonly type: 'finish'; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: `${'text' | 'reasoning'}-${'start' | 'end'}`; readonly id: string }
  | { readonly type: `${'text' | 'reasoning'}-delta`; readonly id: string; readonly delta: string }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: `data-${string}`; readonly id?: string; readonly data: Json; readonly transient?: true }
  | ToolChunk

/**
 * `providerExecuted`: the tool runs on this server, so no client is to run it, or to send its result back. False takes that
 * back: a tool that ran here asks the client by now.
 */
type ToolChunk = { readonly toolCallId: string } & (
  | { readonly type: 'tool-input-start'; readonly toolName: string }
  | { readonly type: 'tool-input-delta'; readonly inputTextDelta: string }
  | {
      readonly type: 'tool-input-available'
      readonly toolName: string
      readonly input: Json
      readonly providerExecuted?: boolean
    }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string }
  | { readonly type: 'tool-output-available'; readonly output: Json; readonly providerExecuted?: true }
  | { readonly type: 'tool-output-error'; readonly errorText: string; readonly providerExecuted?: true }
  | { readonly type: 'tool-output-denied' }
)

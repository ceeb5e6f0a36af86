/** From moments of a turn to chunks of a UI message stream. */

import type { BesidePart } from '../../core/message/part-words.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Json } from '../../core/text/json.ts'
import { isOpen } from '../turns/chat-message.ts'
import type { Moment } from '../turns/moment.ts'
import { fileOf, filesIn, isForClient, outcomeOfCall, outcomeOfProvider, sourceOf } from './call-outcome.ts'

type Projection<K extends Moment['kind']> = (moment: Extract<Moment, { kind: K }>) => readonly Chunk[]

/** The chunks for a moment of a turn. */
export function chunksOf(moment: Moment): readonly Chunk[] {
  return (PROJECTIONS[moment.kind] as Projection<Moment['kind']>)(moment as never)
}

const PROJECTIONS: { readonly [K in Moment['kind']]: Projection<K> } = {
  'step.started': () => [{ type: 'start-step' }],
  'step.ended': () => [{ type: 'finish-step' }],
  'text.started': ({ id }) => [{ type: 'text-start', id }],
  'text.delta': ({ id, delta }) => [{ type: 'text-delta', id, delta }],
  'text.ended': ({ id }) => [{ type: 'text-end', id }],
  'reasoning.started': ({ id }) => [{ type: 'reasoning-start', id }],
  'reasoning.delta': ({ id, delta }) => [{ type: 'reasoning-delta', id, delta }],
  'reasoning.ended': ({ id }) => [{ type: 'reasoning-end', id }],
  beside: ({ part }) => besideChunks(part),
  'input.started': ({ call_id: toolCallId, name: toolName }) => [{ type: 'tool-input-start', toolCallId, toolName }],
  'input.delta': ({ call_id: toolCallId, delta }) => [{ type: 'tool-input-delta', toolCallId, inputTextDelta: delta }],
  'call.dropped': ({ call_id: toolCallId }) => [
    {
      type: 'tool-output-error',
      toolCallId,
      errorText: 'The model did not ask for this call.',
      providerExecuted: true,
    },
  ],
  // A call that the client answers is sent with its hold.
  'call.ready': ({ call, hold }) =>
    isForClient(hold) && hold && isOpen(hold) ? [] : [{ ...input(call), providerExecuted: true }],
  'call.asked': ({ call, hold }) => {
    // Clients keep their earlier state of the call, unless a chunk overrides it explicitly.
    if (isForClient(hold)) return [{ ...input(call), providerExecuted: false }]
    if (hold.kind !== 'approval') return []
    return [{ type: 'tool-approval-request', toolCallId: call.id, approvalId: hold.id }]
  },
  'output.delta': ({ call_id: toolCallId, stream, delta }) => [
    { type: 'data-tool-output', data: { toolCallId, stream, delta }, transient: true },
  ],
  'call.finished': ({ call, hold }) => {
    const { state, ...said } = outcomeOfCall(call, hold)
    const ours = state === 'output-denied' || isForClient(hold) ? {} : { providerExecuted: true }
    const files = filesIn(call.parts).map((file): Chunk => ({ type: 'file', ...file }))
    return [{ type: `tool-${state}`, toolCallId: call.id, ...said, ...ours } as Chunk, ...files]
  },
}

function besideChunks(part: BesidePart): readonly Chunk[] {
  if (part.type === 'source') return [sourceOf(part)]
  if (part.type !== 'provider_call') return [{ type: 'file', ...fileOf(part) }]
  const { id: toolCallId, name: toolName } = part
  const { state, ...outcome } = outcomeOfProvider(part)
  return [
    { type: 'tool-input-available', toolCallId, toolName, input: part.arguments ?? {}, providerExecuted: true },
    { type: `tool-${state}`, toolCallId, ...outcome, providerExecuted: true } as Chunk,
  ]
}

function input({ id, name, final_arguments }: ToolCall): Extract<Chunk, { type: 'tool-input-available' }> {
  return { type: 'tool-input-available', toolCallId: id, toolName: name, input: final_arguments }
}

/** The end of a stream, as version 6 of the AI SDK knows it; version 7 knows more. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/**
 * An event of a UI message stream. Version 6 of the AI SDK must know it as well: a chunk or a key that a client does
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
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | { readonly type: 'source-document'; readonly sourceId: string; readonly mediaType: string; readonly title: string }
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

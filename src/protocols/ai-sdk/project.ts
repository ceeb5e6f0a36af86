/** From moments of a turn to chunks of a UI message stream. */
import type { ToolCall } from '../../core/run/tool-call.ts'
import { isOpen } from '../turns/chat-message.ts'
import type { Moment } from '../turns/moment.ts'
import { filesIn, isForClient, outcomeOfCall } from './call-outcome.ts'
import type { Chunk } from './chunk.ts'

type Projection<K extends Moment['kind']> = (moment: Extract<Moment, { kind: K }>) => readonly Chunk[]

/** The chunks that tell a moment. */
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
  // A call that the client answers is told with its hold.
  'call.ready': ({ call, hold }) =>
    isForClient(hold) && hold && isOpen(hold) ? [] : [{ ...input(call), providerExecuted: true }],
  'call.asked': ({ call, hold }) => {
    // Clients keep what they were told of the call before, unless it is said outright.
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

function input({ id, name, final_arguments }: ToolCall): Extract<Chunk, { type: 'tool-input-available' }> {
  return { type: 'tool-input-available', toolCallId: id, toolName: name, input: final_arguments }
}

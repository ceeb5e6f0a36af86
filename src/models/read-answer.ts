import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '../core/run/usage.ts'
import type { ModelAnswer, ModelRequest, RequestedCall } from '../ports/agent/model.ts'
import { type ModelAccess, modelFailure } from './model-failure.ts'
import { AnswerOrder, plainMetadata } from './translate/answer-order.ts'
import { tellPieces } from './translate/tell-pieces.ts'

/**
 * One whole answer from the parts of its stream.
 * @throws ModelError `stream_cut` if the stream ends before the answer does: half a call is never taken for a call.
 */
export async function readAnswer(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  asked: ModelAccess,
  onPart: ModelRequest['onPart'],
): Promise<ModelAnswer> {
  const calls: RequestedCall[] = []
  const pieces = tellPieces(onPart)
  const order = new AnswerOrder()
  let text = ''
  for await (const part of parts) {
    if (part.type === 'finish') return { text, ...order.said(), calls, ...ending(part, asked) }
    if (part.type === 'tool-call' && !part.providerExecuted) calls.push(requestedCall(part))
    if (part.type === 'text-delta') text += part.delta
    order.take(part)
    pieces(part)
  }
  throw modelFailure('stream_cut', asked, null)
}

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

function ending({ finishReason, usage }: Finish, asked: ModelAccess): Pick<ModelAnswer, 'usage' | 'finish_reason'> {
  const { unified, raw = null } = finishReason
  if (unified === 'interrupted' || unified === 'error') throw modelFailure('stream_cut', asked, raw)
  return { usage: usageOf(usage), finish_reason: unified }
}

function requestedCall({ toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall): RequestedCall {
  return {
    id: toolCallId,
    name: toolName,
    // A call without arguments arrives as nothing at all from some servers.
    arguments: input.trim() === '' ? '{}' : input,
    metadata: plainMetadata(providerMetadata),
  }
}

function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Usage {
  const input = inputTokens.total ?? 0
  const output = outputTokens.total ?? 0
  const cached = inputTokens.cacheRead ?? 0
  const total = raw?.['total_tokens'] ?? raw?.['totalTokenCount']
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: typeof total === 'number' ? total : input + output,
    ...(cached > 0 && { cached_input_tokens: cached }),
  }
}

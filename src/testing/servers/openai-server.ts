import type { PlayedTurn } from '../../models/play-script.ts'
import { checkOpenAiOrder } from '../kit/provider-order.ts'
import {
  assistantMessages,
  type ModelServer,
  type ModelServerOptions,
  openModelServer,
  pieces,
  serverSentEvent,
  type Wire,
} from './model-server.ts'
import { OPENAI_TOOLS, toolFaults } from './tool-faults.ts'

/**
 * Opens a local server that answers `POST /v1/chat/completions` as OpenAI streams it, from a list of turns. Requests
 * whose messages are out of order are answered with 400 and the violations. Set OPENAI_BASE_URL to its `url`.
 */
export function openOpenAiServer(options: ModelServerOptions): Promise<ModelServer> {
  return openModelServer(OPENAI, options)
}

const OPENAI: Wire = {
  basePath: '/v1',
  path: '/v1/chat/completions',
  violations: body => [...checkOpenAiOrder(body), ...toolFaults(body, OPENAI_TOOLS)],
  answersIn: assistantMessages,
  error: (status, message) => ({ error: { message, type: 'told', param: null, code: String(status) } }),
  tooLong: (sent, window) =>
    `This model's maximum context length is ${window} tokens. However, your messages resulted in ${sent} tokens. Please reduce the length of the messages.`,
  errorEvent: message => serverSentEvent({ error: { message, type: 'server_error', code: 'overloaded' } }),
  events(turn, body) {
    const options = body['stream_options'] as { include_usage?: boolean } | undefined
    const deltas = [
      { role: 'assistant', content: '' },
      ...pieces(turn.text).map(content => ({ content })),
      ...callDeltas(turn),
    ]
    const finish_reason = turn.finishReason.replace('-', '_')
    return [
      ...deltas.map(delta => chunk(body, [{ index: 0, delta, finish_reason: null }])),
      chunk(body, [{ index: 0, delta: {}, finish_reason }]),
      ...(options?.include_usage ? [chunk(body, [], usageOf(turn))] : []),
      serverSentEvent('[DONE]'),
    ]
  },
}

/** The first delta of a call names it, the others bring its arguments, a few characters at a time. */
function callDeltas({ calls }: PlayedTurn): object[] {
  return calls.flatMap((call, index) => [
    { tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] },
    ...pieces(call.arguments).map(text => ({ tool_calls: [{ index, function: { arguments: text } }] })),
  ])
}

function chunk(body: Readonly<Record<string, unknown>>, choices: object[], usage: object | null = null): string {
  return serverSentEvent({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: body['model'],
    choices,
    usage,
  })
}

function usageOf({ usage }: PlayedTurn): object {
  const { input_tokens: prompt_tokens, output_tokens: completion_tokens, total_tokens, cached_input_tokens } = usage
  return {
    ...{ prompt_tokens, completion_tokens, total_tokens },
    ...(cached_input_tokens && { prompt_tokens_details: { cached_tokens: cached_input_tokens } }),
  }
}

import type { PlayedTurn } from '../../models/play-script.ts'
import { checkAnthropicOrder } from '../kit/provider-order.ts'
import { anthropicFaults, resultsIn } from './anthropic-faults.ts'
import {
  ANTHROPIC_MANY_IMAGES,
  ANTHROPIC_MOST_BYTES,
  ANTHROPIC_MOST_MEDIA,
  manyImageFaults,
  mediaFaults,
  sizeFaults,
} from './image-faults.ts'
import {
  assistantMessages,
  type ModelServer,
  type ModelServerOptions,
  openModelServer,
  pieces,
  serverSentEvent,
  type Wire,
} from './model-server.ts'
import { ANTHROPIC_TOOLS, toolFaults } from './tool-faults.ts'

/**
 * Opens a local server that answers `POST /v1/messages` as Anthropic streams it, from a list of turns. Requests whose
 * messages are out of order are answered with 400 and the violations. Set ANTHROPIC_BASE_URL to its `url`.
 */
export function openAnthropicServer(options: ModelServerOptions): Promise<ModelServer> {
  return openModelServer(anthropicWire(), options)
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

/** By the word of a script. Any other one is sent as it is, such as `pause_turn`. */
const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
}

function anthropicWire(): Wire {
  const issued = new Map<string, readonly unknown[]>()
  return {
    ...ANTHROPIC,
    violations: body => [...ANTHROPIC.violations(body), ...anthropicFaults(body, issued)],
    replay(events) {
      for (const [id, contents] of resultsIn(events)) issued.set(id, contents)
      return events.map(each => event(each as Parameters<typeof event>[0]))
    },
  }
}

const ANTHROPIC: Omit<Wire, 'replay'> = {
  basePath: '',
  path: '/v1/messages',
  violations: body => [
    ...checkAnthropicOrder(body),
    ...toolFaults(body, ANTHROPIC_TOOLS),
    ...manyImageFaults(body, ANTHROPIC_MANY_IMAGES),
    ...mediaFaults(body, ANTHROPIC_MOST_MEDIA),
    ...sizeFaults(body, ANTHROPIC_MOST_BYTES),
  ],
  answersIn: assistantMessages,
  error: (status, message) => ({ type: 'error', error: { type: ERROR_TYPES[status] ?? 'api_error', message } }),
  tooLong: (sent, window) => `prompt is too long: ${sent} tokens > ${window} maximum`,
  errorEvent: message => event({ type: 'error', error: { type: 'overloaded_error', message } }),
  events(turn, body, thought) {
    const thoughts = thought !== '' && turn.calls.length > 0 ? [thoughtBlock(thought)] : []
    const blocks = [...thoughts, ...(turn.text === '' ? [] : [textBlock(turn.text)]), ...turn.calls.map(callBlock)]
    const stop_reason = STOP_REASONS[turn.finishReason] ?? turn.finishReason
    return [
      event({ type: 'message_start', message: openingOf(turn, body) }),
      event({ type: 'ping' }),
      ...blocks.flatMap(({ start, deltas }, index) => [
        event({ type: 'content_block_start', index, content_block: start }),
        ...deltas.map(delta => event({ type: 'content_block_delta', index, delta })),
        event({ type: 'content_block_stop', index }),
      ]),
      event({
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: turn.usage.output_tokens },
      }),
      event({ type: 'message_stop' }),
    ]
  },
}

interface Block {
  readonly start: object
  readonly deltas: readonly object[]
}

function thoughtBlock(text: string): Block {
  const deltas = pieces(text).map(piece => ({ type: 'thinking_delta', thinking: piece }))
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [...deltas, { type: 'signature_delta', signature: `signed ${text}` }],
  }
}

function textBlock(text: string): Block {
  return { start: { type: 'text', text: '' }, deltas: pieces(text).map(piece => ({ type: 'text_delta', text: piece })) }
}

function callBlock({ id, name, arguments: text }: PlayedTurn['calls'][number]): Block {
  const deltas = ['', ...pieces(text)].map(partial_json => ({ type: 'input_json_delta', partial_json }))
  return { start: { type: 'tool_use', id, name, input: {} }, deltas }
}

function openingOf({ usage }: PlayedTurn, body: Readonly<Record<string, unknown>>): object {
  const { input_tokens, cached_input_tokens = 0 } = usage
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body['model'],
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: input_tokens - cached_input_tokens,
      cache_read_input_tokens: cached_input_tokens,
      output_tokens: 1,
    },
  }
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return serverSentEvent(data, data.type)
}

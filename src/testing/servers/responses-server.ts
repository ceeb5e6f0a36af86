import type { PlayedTurn } from '../../models/play-script.ts'
import {
  type ModelServer,
  type ModelServerOptions,
  openModelServer,
  pieces,
  serverSentEvent,
  type Wire,
} from './model-server.ts'
import { answersIn, type IssuedItem, responsesFaults } from './responses-faults.ts'
import { RESPONSES_TOOLS, toolFaults } from './tool-faults.ts'

/**
 * Opens a local server that answers `POST /v1/responses` as OpenAI streams it, from a list of turns. It remembers the
 * items of its answers, and refuses input that OpenAI refuses: a call without its thought, an item that was not stored.
 * Set OPENAI_BASE_URL to its `url`, and ask for `openai-responses/gpt-5-test`.
 */
export function openResponsesServer(options: ModelServerOptions): Promise<ModelServer> {
  return openModelServer(responsesWire(), options)
}

type Fields = Readonly<Record<string, unknown>>

interface Output {
  readonly item: IssuedItem & Fields
  /** The item before anything of it has arrived. */
  readonly begun: Fields
  readonly events: readonly Fields[]
}

function responsesWire(): Wire {
  const issued = new Map<string, IssuedItem>()
  let count = 0
  return {
    basePath: '/v1',
    path: '/v1/responses',
    violations: body => [...responsesFaults(body, issued), ...toolFaults(body, RESPONSES_TOOLS)],
    statusOf: violation => (violation.startsWith('Item with id') ? 404 : 400),
    answersIn,
    error: (_status, message) => ({ error: { message, type: 'invalid_request_error', param: 'input', code: null } }),
    tooLong: () => 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    errorEvent: message => event({ type: 'error', error: { type: 'server_error', code: 'overloaded', message } }),
    replay(events, body) {
      for (const item of itemsIn(events, body['store'] !== false)) issued.set(item.id, item)
      return events.map(each => event(each as Fields))
    },
    events(turn, body, thought) {
      count += 1
      const outputs = outputsOf(turn, { number: count, thought, body })
      for (const { item } of outputs) issued.set(item.id, item)
      const response = { id: `resp_${count}`, created_at: 1_700_000_000, model: body['model'] }
      return [
        event({ type: 'response.created', response }),
        event({ type: 'response.in_progress', response }),
        ...outputs.flatMap(eventsOf),
        event(ending(turn, response)),
      ]
    },
  }
}

/** The items of a recorded answer. Each belongs to the thought before it. */
function itemsIn(events: readonly object[], isStored: boolean): IssuedItem[] {
  let thought: string | null = null
  return events.flatMap(each => {
    const { type, item } = each as { readonly type?: string; readonly item?: IssuedItem }
    if (type !== 'response.output_item.done' || !item) return []
    const issued = { ...item, thought: item.type === 'reasoning' ? null : thought, isStored }
    if (item.type === 'reasoning') thought = item.id
    return [issued]
  })
}

interface Answering {
  /** The number of the answer, which its ids have. */
  readonly number: number
  readonly thought: string
  readonly body: Fields
}

function outputsOf({ text, calls }: PlayedTurn, { number, thought, body }: Answering): Output[] {
  const isStored = body['store'] !== false
  const rs = thought === '' ? null : `rs_${number}`
  const given = { thought: rs, isStored }
  const phase = calls.length > 0 ? 'commentary' : 'final_answer'
  const isEncrypted = [body['include']].flat().includes('reasoning.encrypted_content')
  const encrypted = isEncrypted ? { encrypted_content: `encrypted ${number}: ${thought}` } : {}
  return [
    ...(rs === null ? [] : [thoughtOf(thought, { id: rs, ...encrypted, thought: null, isStored })]),
    ...(text === '' ? [] : [messageOf(text, { id: `msg_${number}`, phase, ...given })]),
    ...calls.map((call, index) => callOf(call, { id: `fc_${number}_${index}`, ...given })),
  ]
}

function thoughtOf(text: string, given: Omit<IssuedItem, 'type'>): Output {
  const item = { type: 'reasoning' as const, ...given }
  const place = { item_id: item.id, summary_index: 0 }
  return {
    item: { ...item, summary: [{ type: 'summary_text', text }] },
    begun: { ...item, summary: [] },
    events: [
      { type: 'response.reasoning_summary_part.added', ...place },
      ...pieces(text).map(delta => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
      { type: 'response.reasoning_summary_part.done', ...place },
    ],
  }
}

function messageOf(text: string, given: Omit<IssuedItem, 'type'> & { readonly phase: string }): Output {
  const item = { type: 'message' as const, role: 'assistant', ...given }
  return {
    item: { ...item, content: [{ type: 'output_text', text, annotations: [] }] },
    begun: { ...item, content: [] },
    events: pieces(text).map(delta => ({ type: 'response.output_text.delta', item_id: item.id, delta })),
  }
}

function callOf(call: PlayedTurn['calls'][number], given: Omit<IssuedItem, 'type'>): Output {
  const item = { type: 'function_call' as const, ...given, call_id: call.id, name: call.name }
  return {
    item: { ...item, arguments: call.arguments },
    begun: { ...item, arguments: '' },
    events: pieces(call.arguments).map(delta => ({
      type: 'response.function_call_arguments.delta',
      item_id: item.id,
      delta,
    })),
  }
}

function eventsOf({ item, begun, events }: Output, output_index: number): string[] {
  return [
    event({ type: 'response.output_item.added', output_index, item: { ...sent(begun), status: 'in_progress' } }),
    ...events.map(each => event({ ...each, output_index })),
    event({ type: 'response.output_item.done', output_index, item: { ...sent(item), status: 'completed' } }),
  ]
}

/** What the server itself remembers of an item stays here. */
function sent({ thought: _, isStored: __, ...item }: Fields): Fields {
  return item
}

const INCOMPLETE: Readonly<Record<string, string>> = { length: 'max_output_tokens', 'content-filter': 'content_filter' }

function ending({ finishReason, usage }: PlayedTurn, response: Fields): Fields {
  const reason = INCOMPLETE[finishReason]
  const { input_tokens, output_tokens, cached_input_tokens: cached_tokens = 0 } = usage
  return {
    type: reason === undefined ? 'response.completed' : 'response.incomplete',
    response: {
      ...response,
      incomplete_details: reason === undefined ? null : { reason },
      usage: {
        ...{ input_tokens, input_tokens_details: { cached_tokens } },
        ...{ output_tokens, output_tokens_details: { reasoning_tokens: 0 } },
      },
    },
  }
}

function event(data: Fields): string {
  return serverSentEvent({ sequence_number: 0, ...data }, String(data['type']))
}

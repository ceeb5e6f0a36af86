/** Answers as providers stream them, written by hand from the references of their APIs. */

export const PIXELS = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02', 'latin1').toString(
  'base64',
)

export const PAGE = { url: 'https://news.example/tides', title: 'Tides of today' }
export const SAID = 'High tide is at six.'

type Events = readonly object[]

const usage = { input_tokens: 20, input_tokens_details: { cached_tokens: 0 }, output_tokens: 9 }
const response = { id: 'resp_r', created_at: 1_800_000_000, model: 'gpt-5.1', service_tier: 'default' }

function responses(...items: readonly Events[]): Events {
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...items.flatMap((events, output_index) => events.map(each => ({ ...each, output_index }))),
    {
      type: 'response.completed',
      response: {
        ...response,
        incomplete_details: null,
        usage: { ...usage, output_tokens_details: { reasoning_tokens: 4 } },
      },
    },
  ].map((each, sequence_number) => ({ ...each, sequence_number }))
}

const begun = (item: object) => ({ type: 'response.output_item.added', item: { ...item, status: 'in_progress' } })
const done = (item: object) => ({ type: 'response.output_item.done', item: { ...item, status: 'completed' } })

const thought = (id: string): Events => {
  const item = { type: 'reasoning', id, summary: [] }
  return [begun({ ...item, encrypted_content: 'half' }), done({ ...item, encrypted_content: `sealed ${id}` })]
}

const search: Events = [
  begun({ type: 'web_search_call', id: 'ws_1' }),
  { type: 'response.web_search_call.in_progress', item_id: 'ws_1' },
  { type: 'response.web_search_call.searching', item_id: 'ws_1' },
  { type: 'response.web_search_call.completed', item_id: 'ws_1' },
  done({
    type: 'web_search_call',
    id: 'ws_1',
    action: { type: 'search', query: 'tide today', queries: ['tide today'], sources: [{ type: 'url', url: PAGE.url }] },
  }),
]

const annotation = { type: 'url_citation', start_index: 0, end_index: 20, ...PAGE }

const message = (id: string, text: string, phase: string, annotations: Events = []): Events => {
  const item = { type: 'message', role: 'assistant', id, phase }
  return [
    begun({ ...item, content: [] }),
    { type: 'response.content_part.added', item_id: id, content_index: 0, part: { type: 'output_text', text: '' } },
    { type: 'response.output_text.delta', item_id: id, content_index: 0, delta: text, logprobs: [] },
    ...annotations.map((each, annotation_index) => ({
      ...{ type: 'response.output_text.annotation.added', item_id: id, content_index: 0, annotation_index },
      annotation: each,
    })),
    { type: 'response.output_text.done', item_id: id, content_index: 0, text, logprobs: [] },
    done({ ...item, content: [{ type: 'output_text', text, annotations }] }),
  ]
}

const image: Events = [
  begun({ type: 'image_generation_call', id: 'ig_1' }),
  { type: 'response.image_generation_call.generating', item_id: 'ig_1' },
  {
    type: 'response.image_generation_call.partial_image',
    item_id: 'ig_1',
    partial_image_b64: PIXELS,
    partial_image_index: 0,
  },
  done({ type: 'image_generation_call', id: 'ig_1', result: PIXELS }),
]

const functionCall: Events = [
  begun({ type: 'function_call', id: 'fc_1', call_id: 'call_look', name: 'look', arguments: '' }),
  { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '{}' },
  { type: 'response.function_call_arguments.done', item_id: 'fc_1', arguments: '{}' },
  done({ type: 'function_call', id: 'fc_1', call_id: 'call_look', name: 'look', arguments: '{}' }),
]

/** A search whose answer cites a page, an image with a call of the agent, and the last words. */
export const OPENAI_ANSWERS: readonly Events[] = [
  responses(thought('rs_1'), search, thought('rs_2'), message('msg_1', SAID, 'final_answer', [annotation])),
  responses(thought('rs_3'), image, message('msg_2', 'Here it is.', 'commentary'), functionCall),
]

const opening = {
  type: 'message_start',
  message: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test', content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 20, output_tokens: 1 } },
  },
}

const closing = [
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
  },
  { type: 'message_stop' },
]

const block = (content_block: object, ...deltas: Events): Events => [
  { type: 'content_block_start', content_block },
  ...deltas.map(delta => ({ type: 'content_block_delta', delta })),
  { type: 'content_block_stop' },
]

const blocks = (...each: readonly Events[]): Events => [
  opening,
  ...each.flatMap((events, index) => events.map(event => ({ ...event, index }))),
  ...closing,
]

const said = (text: string, ...more: Events): Events =>
  block({ type: 'text', text: '' }, { type: 'text_delta', text }, ...more)

const found = { type: 'web_search_result', ...PAGE, encrypted_content: 'sealed page', page_age: null }
const citation = {
  ...{ type: 'web_search_result_location', ...PAGE },
  ...{ encrypted_index: 'sealed index', cited_text: 'high tide: 6:00' },
}

export const ANTHROPIC_ANSWERS: readonly Events[] = [
  blocks(
    said('I look it up. '),
    block(
      { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: {} },
      { type: 'input_json_delta', partial_json: '' },
      { type: 'input_json_delta', partial_json: '{"query":' },
      { type: 'input_json_delta', partial_json: ' "tide today"}' },
    ),
    block({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_01', content: [found] }),
    said(SAID, { type: 'citations_delta', citation }),
  ),
]

const candidate = (parts: Events, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 },
})

export const GOOGLE_ANSWERS: readonly Events[] = [
  [
    candidate([{ text: SAID }]),
    candidate([{ inlineData: { mimeType: 'image/png', data: PIXELS }, thoughtSignature: 'signed image' }]),
    candidate([{ text: '', thoughtSignature: 'signed end' }], {
      finishReason: 'STOP',
      groundingMetadata: {
        webSearchQueries: ['tide today'],
        searchEntryPoint: { renderedContent: '<div></div>' },
        groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }],
        groundingSupports: [{ segment: { startIndex: 0, endIndex: 20, text: SAID }, groundingChunkIndices: [0] }],
      },
    }),
  ],
]

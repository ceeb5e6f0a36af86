import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Message, MessageCall } from '../core/journal/message.ts'
import type { Json } from '../core/text/json.ts'
import type { Model, ModelAnswer, ModelRequest } from '../ports/agent/model.ts'
import type { InferencePart } from '../ports/agent/model-part.ts'
import { openAnthropicServer } from '../testing/servers/anthropic-server.ts'
import type { ModelServer, ModelServerOptions } from '../testing/servers/model-server.ts'
import { openOpenAiServer } from '../testing/servers/openai-server.ts'
import { openResponsesServer } from '../testing/servers/responses-server.ts'
import { openModel } from './open-model.ts'

const KEY = 'sk-test-0123456789'

interface Wire {
  readonly model: string
  /** What it wants back with a call. */
  readonly metadata?: Json
  env(url: string): Record<string, string>
  open(options: ModelServerOptions): Promise<ModelServer>
}

const WIRES: readonly [string, Wire][] = [
  [
    'openai',
    { model: 'openai/gpt-test', open: openOpenAiServer, env: url => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url }) },
  ],
  [
    'openai-responses',
    {
      model: 'openai-responses/gpt-test',
      open: openResponsesServer,
      metadata: { openai: { itemId: expect.stringMatching('^fc_1_') } },
      env: url => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url }),
    },
  ],
  [
    'openai-compatible',
    {
      model: 'openai-compatible/org/model',
      open: openOpenAiServer,
      env: url => ({ OPENAI_COMPATIBLE_API_KEY: KEY, OPENAI_COMPATIBLE_BASE_URL: url }),
    },
  ],
  [
    'anthropic',
    {
      model: 'anthropic/claude-test',
      open: openAnthropicServer,
      env: url => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
    },
  ],
]

const user = (content: string): Message => ({ role: 'user', content, author: null })
const assistant = (content: string, ...tool_calls: MessageCall[]): Message => ({
  role: 'assistant',
  content,
  tool_calls,
})
const result = (tool_call_id: string, content: Json, is_error = false): Message => ({
  role: 'tool',
  tool_call_id,
  tool_name: 'refund',
  content,
  is_error,
})
const call = (id: string, args: MessageCall['arguments'] = {}): MessageCall => ({
  id,
  name: 'refund',
  arguments: args,
  metadata: null,
})

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'Be brief.',
  messages: [user('Refund order 7')],
  tools: [{ name: 'refund', description: 'Pay money back', inputSchema: { type: 'object', properties: {} } }],
  signal: new AbortController().signal,
  onPart: () => {},
  ...more,
})

const textInto = (pieces: string[]) => (part: InferencePart) => {
  if (part.kind === 'text.delta') pieces.push(part.data.delta)
}

/** The calls in these parts, as `[id, name, arguments]`; no arguments stand for an empty object. */
function argumentsIn(parts: readonly InferencePart[]): unknown[] {
  return parts.flatMap(part => {
    if (part.kind !== 'tool_input.start') return []
    const { call_id, name } = part.data
    const deltas = parts.flatMap(other =>
      other.kind === 'tool_input.delta' && other.data.call_id === call_id ? [other.data.delta] : [],
    )
    expect(parts.filter(other => other.kind === 'tool_input.end' && other.data.call_id === call_id)).toHaveLength(1)
    return [[call_id, name, deltas.join('') || '{}']]
  })
}

const opened = (wire: Wire, url: string, env: Record<string, string> = {}) =>
  openModel(wire.model, { env: { ...wire.env(url), ...env }, directory: '.' })

/** The conversation goes on with the answer and a result for each of its calls. */
const continued = (messages: readonly Message[], answer: ModelAnswer): Message[] => [
  ...messages,
  assistant(
    answer.text,
    ...answer.calls.map(({ metadata, ...it }) => ({ ...it, arguments: JSON.parse(it.arguments), metadata })),
  ),
  ...answer.calls.map(({ id }) => result(id, { paid: true })),
]

describe.each(WIRES)('a model of %s', (_name, wire) => {
  const { metadata = null } = wire

  test('streams its text and gives it whole, with usage', async () => {
    const text = 'The refund is on its way — 3 € 🎉'
    await using server = await wire.open({ turns: [{ text, usage: { input: 11, output: 7 } }] })
    const pieces: string[] = []
    const answer = await (await opened(wire, server.url)).answer(request({ onPart: textInto(pieces) }))
    const { parts = [{ type: 'text', text }], ...whole } = answer
    expect(parts).toMatchObject([{ type: 'text', text }])
    expect(whole).toEqual({
      text,
      calls: [],
      usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
      finish_reason: 'stop',
    })
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe(text)
  })

  test('sends the system text, the tools and the key, and asks to stream', async () => {
    await using server = await wire.open({ turns: ['ok'] })
    await (await opened(wire, server.url)).answer(request())
    const [sent] = server.requests
    expect(sent?.body.stream).toBe(true)
    expect(JSON.stringify(sent?.body)).toContain('Be brief.')
    expect(JSON.stringify(sent?.body.tools)).toContain('Pay money back')
    expect(sent?.headers['x-api-key'] ?? sent?.headers.authorization?.replace('Bearer ', '')).toBe(KEY)
  })

  test('sends no list of tools where there are none', async () => {
    await using server = await wire.open({ turns: ['ok'] })
    await (await opened(wire, server.url)).answer(request({ tools: [] }))
    expect(server.requests[0]?.body).not.toHaveProperty('tools')
  })

  test('gives several calls in order, each with its arguments put together', async () => {
    const calls = [
      { id: 'a', name: 'refund', args: { order: 7, note: 'a "quoted" reason' } },
      { id: 'b', name: 'refund', args: { order: 8 } },
      { id: 'c', name: 'look_up' },
    ]
    await using server = await wire.open({ turns: [{ text: 'Let me see.', calls }] })
    const parts: InferencePart[] = []
    const answer = await (await opened(wire, server.url)).answer(request({ onPart: part => parts.push(part) }))
    expect(argumentsIn(parts)).toEqual(answer.calls.map(({ id, name, arguments: args }) => [id, name, args]))
    expect(answer).toMatchObject({ text: 'Let me see.', finish_reason: 'tool-calls' })
    expect(answer.calls).toEqual([
      { id: 'a', name: 'refund', arguments: '{"order":7,"note":"a \\"quoted\\" reason"}', metadata },
      { id: 'b', name: 'refund', arguments: '{"order":8}', metadata },
      { id: 'c', name: 'look_up', arguments: '{}', metadata },
    ])
  })

  test('gives broken arguments as the model wrote them', async () => {
    await using server = await wire.open({
      turns: [{ calls: [{ id: 'a', name: 'refund', raw_args: '{"order": 7, "am' }] }],
    })
    const answer = await (await opened(wire, server.url)).answer(request())
    expect(answer.calls).toEqual([{ id: 'a', name: 'refund', arguments: '{"order": 7, "am', metadata }])
  })

  test('takes a call without any arguments for one with an empty object', async () => {
    await using server = await wire.open({ turns: [{ calls: [{ id: 'a', name: 'refund', raw_args: '' }] }] })
    expect((await (await opened(wire, server.url)).answer(request())).calls[0]?.arguments).toBe('{}')
  })

  test('can answer with nothing at all', async () => {
    await using server = await wire.open({ turns: [{}] })
    expect(await (await opened(wire, server.url)).answer(request())).toMatchObject({
      text: '',
      calls: [],
      finish_reason: 'stop',
    })
  })

  test('goes on over several turns with results in order', async () => {
    const calls = ['a', 'b'].map(id => ({ id, name: 'refund', args: { order: 7 } }))
    await using server = await wire.open({
      turns: [{ text: 'First.', calls }, { calls: [{ id: 'c', name: 'refund' }] }, 'Done.'],
    })
    const model = await opened(wire, server.url)
    let messages = request().messages
    let answer = await model.answer(request({ messages }))
    while (answer.calls.length > 0) {
      messages = continued(messages, answer)
      answer = await model.answer(request({ messages }))
    }
    expect(answer.text).toBe('Done.')
    expect(server.requests.map(({ violations }) => violations)).toEqual([[], [], []])
    expect(JSON.stringify(server.requests[2]?.body)).toContain('paid')
  })

  test('shows denials and errors to the model, with the reason', async () => {
    await using server = await wire.open({ turns: ['never', 'I see.'] })
    const messages = [user('hi'), assistant('', call('a')), result('a', 'TOOL_CALL_REJECTED: too much', true)]
    expect((await (await opened(wire, server.url)).answer(request({ messages }))).text).toBe('I see.')
    expect(JSON.stringify(server.requests[0]?.body)).toContain('TOOL_CALL_REJECTED: too much')
  })

  test.each<[string, Message[]]>([
    ['arguments that were broken', [user('a'), assistant('', call('a', '{broken')), result('a', 'no')]],
    ['arguments that were no object', [user('a'), assistant('', call('a', '"ls"')), result('a', 'no')]],
    ['an answer with nothing in it', [user('a'), assistant(''), user('b')]],
    ['a user message after the results', [user('a'), assistant('', call('a')), result('a', ''), user('b')]],
    ['two user messages in a row', [user('a'), user('b')]],
    [
      'an id with other characters',
      [user('a'), assistant('', call('functions.refund:0')), result('functions.refund:0', '')],
    ],
    ['a system message in between', [user('a'), assistant('b'), { role: 'system', content: 'Hurry.' }, user('c')]],
  ])('sends a valid request after %s', async (_case, messages) => {
    await using server = await wire.open({ turns: ['1', '2', '3'] })
    await (await opened(wire, server.url)).answer(request({ messages }))
    expect(server.requests[0]?.violations).toEqual([])
  })

  test('sends a valid request for every valid conversation', async () => {
    await using server = await wire.open({ turns: Array.from({ length: 20 }, () => 'ok') })
    const model = await opened(wire, server.url)
    await fc.assert(
      fc.asyncProperty(CONVERSATION, async messages => {
        expect((await model.answer(request({ messages }))).finish_reason).toBe('stop')
      }),
      { numRuns: 25 },
    )
    expect(server.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  test.each([
    [
      { status: 429, headers: { 'retry-after': '2' } },
      { code: 'rate_limited', retryable: true, retryAfterMs: 2000 },
    ],
    [{ status: 500 }, { code: 'model_overloaded', retryable: true }],
    [
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' },
      { code: 'model_overloaded', retryable: true },
    ],
    [{ status: 529 }, { code: 'model_overloaded', retryable: true }],
    [{ status: 401 }, { code: 'model_auth', retryable: false, hint: expect.stringContaining('_API_KEY') }],
    [{ status: 403 }, { code: 'model_auth', retryable: false }],
    [{ status: 404 }, { code: 'model_not_found', retryable: false }],
    [{ status: 400 }, { code: 'model_rejected', retryable: false, message: expect.stringContaining('told to fail') }],
    ['cut', { code: 'stream_cut', retryable: true }],
    ['break', { code: 'stream_cut', retryable: true }],
    ['reset', { code: 'stream_cut', retryable: true }],
    ['garble', { code: 'stream_cut', retryable: true }],
  ] as const)('fails after %j with its own code, and in one attempt', async (failure, expected) => {
    const turn = { text: 'The refund is on its way', calls: [{ id: 'a', name: 'refund', args: { order: 7 } }] }
    await using server = await wire.open({ turns: [turn], fail: [failure] })
    const model = await opened(wire, server.url)
    await expect(model.answer(request())).rejects.toMatchObject({ name: 'ModelError', ...expected })
    expect(server.requests).toHaveLength(1)
    expect((await model.answer(request())).text).toBe(turn.text)
  })

  test('does not take half a call for a call', async () => {
    await using server = await wire.open({ turns: [{ calls: [{ id: 'a', name: 'refund', args: {} }] }], fail: ['cut'] })
    await expect((await opened(wire, server.url)).answer(request())).rejects.toMatchObject({ code: 'stream_cut' })
  })

  test('fails with what the provider says in the middle of its answer', async () => {
    await using server = await wire.open({ turns: ['The refund is on its way'], fail: ['overload'] })
    await expect((await opened(wire, server.url)).answer(request())).rejects.toMatchObject({
      code: expect.stringMatching(/^(model_overloaded|stream_cut)$/),
      retryable: true,
      message: expect.stringContaining('overloaded, told to fail'),
    })
  })

  test.each(['hang', 'stall'] as const)('is given up after a time when it has come to a %s', async failure => {
    await using server = await wire.open({ turns: ['The refund is on its way'], fail: [failure] })
    const model = await opened(wire, server.url, { HOLDPOINT_MODEL_TIMEOUT_MS: '100' })
    await expect(model.answer(request())).rejects.toMatchObject({
      code: 'model_timeout',
      retryable: true,
      message: `${wire.model} did not answer in time: nothing arrived for 0.1 seconds.`,
      hint: expect.stringContaining('HOLDPOINT_MODEL_TIMEOUT_MS'),
    })
    await expect.poll(() => server.requests[0]?.aborted).toBe(true)
  })

  test.each(['hang', 'stall'] as const)('is aborted at once, with the reason, during a %s', async failure => {
    await using server = await wire.open({ turns: ['The refund is on its way'], fail: [failure] })
    const giveUp = new AbortController()
    const answer = (await opened(wire, server.url)).answer(request({ signal: giveUp.signal }))
    await expect.poll(() => server.requests.length).toBe(1)
    giveUp.abort('enough')
    await expect(answer).rejects.toBe('enough')
    await expect.poll(() => server.requests[0]?.aborted).toBe(true)
  })

  test('gives nothing more after an abort in the middle of the text', async () => {
    await using server = await wire.open({ turns: ['The refund is on its way'] })
    const giveUp = new AbortController()
    const pieces: string[] = []
    const onPart = (part: InferencePart) => {
      textInto(pieces)(part)
      if (part.kind === 'text.delta') giveUp.abort('enough')
    }
    await expect((await opened(wire, server.url)).answer(request({ signal: giveUp.signal, onPart }))).rejects.toBe(
      'enough',
    )
    expect(pieces).toHaveLength(1)
  })

  test('is not asked where the signal is already aborted', async () => {
    await using server = await wire.open({ turns: ['ok'] })
    const model = await opened(wire, server.url)
    await expect(model.answer(request({ signal: AbortSignal.abort('enough') }))).rejects.toBe('enough')
    expect(server.requests).toEqual([])
  })

  test('lets an error of the listener through as it is', async () => {
    await using server = await wire.open({ turns: ['ok'] })
    const broken = new Error('listener')
    const onPart = () => {
      throw broken
    }
    await expect((await opened(wire, server.url)).answer(request({ onPart }))).rejects.toBe(broken)
  })

  test('that nobody serves is unreachable', async () => {
    const server = await wire.open({ turns: [] })
    await server[Symbol.asyncDispose]()
    await expect((await opened(wire, server.url)).answer(request())).rejects.toMatchObject({
      code: 'model_unreachable',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
      hint: expect.stringContaining('_BASE_URL'),
    })
  })

  test('never repeats the key in an error', async () => {
    const body = { type: 'error', error: { type: 'authentication_error', message: `Incorrect API key: ${KEY}` } }
    await using server = await wire.open({ turns: [], fail: [{ status: 401, body }] })
    const error = await (await opened(wire, server.url)).answer(request()).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'model_auth', message: expect.stringContaining('Incorrect API key: ***') })
  })

  test('answers several requests at the same time', async () => {
    await using server = await wire.open({ turns: ['one', 'two'] })
    const model = await opened(wire, server.url)
    const second = request({ messages: [user('a'), assistant('b'), user('c')] })
    const answers = await Promise.all([model.answer(request()), model.answer(second)])
    expect(answers.map(({ text }) => text)).toEqual(['one', 'two'])
  })
})

test('ANTHROPIC_BASE_URL may be written with or without the version', async () => {
  await using server = await openAnthropicServer({ turns: ['ok'] })
  for (const url of [server.url, `${server.url}/`, `${server.url}/v1`, `${server.url}/v1/`]) {
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }
    const model = await openModel('anthropic/claude-test', { env, directory: '.' })
    expect((await model.answer(request())).text).toBe('ok')
  }
})

test('a compatible server is asked without a key where none is set', async () => {
  await using server = await openOpenAiServer({ turns: ['ok'] })
  const env = { OPENAI_COMPATIBLE_BASE_URL: server.url }
  await (await openModel('openai-compatible/org/model', { env, directory: '.' })).answer(request())
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
  expect(server.requests[0]?.body.model).toBe('org/model')
})

describe('a model of google', () => {
  const part = { functionCall: { name: 'refund', args: { order: 7 } }, thoughtSignature: 'sig==' }

  test('streams, and gets the signature of its call back with it', async () => {
    const replies = [[{ text: 'Let me ' }, { text: 'see.' }], [part]]
    await using google = await googleServer(replies.flat().map(it => [it]))
    const model = await google.model()
    const pieces: string[] = []
    const answer = await model.answer(request({ onPart: textInto(pieces) }))
    expect(pieces).toEqual(['Let me ', 'see.'])
    expect(answer).toMatchObject({
      calls: [{ name: 'refund', arguments: '{"order":7}', metadata: { google: { thoughtSignature: 'sig==' } } }],
      usage: { input_tokens: 5, output_tokens: 4, total_tokens: 9 },
      finish_reason: 'tool-calls',
    })
    await model.answer(request({ messages: continued(request().messages, answer) }))
    expect(google.bodies[1]?.contents).toMatchObject([
      { role: 'user' },
      { role: 'model', parts: [{ text: 'Let me see.' }, part] },
      { role: 'user', parts: [{ functionResponse: { name: 'refund' } }] },
    ])
    expect(google.keys).toEqual([KEY, KEY])
  })

  test('keeps a call that the provider ran itself with its result, and a file, in their places', async () => {
    const ran = { executableCode: { language: 'PYTHON', code: 'print(1)' } }
    const printed = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }
    const drawn = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
    await using google = await googleServer([[ran, printed, { text: 'One.' }, drawn]])
    const answer = await (await google.model()).answer(request())
    expect(answer).toMatchObject({ text: 'One.', calls: [] })
    expect(answer.warnings).toBeUndefined()
    expect(answer.parts).toMatchObject([
      {
        ...{ type: 'provider_call', name: 'code_execution', wire: 'google' },
        ...{ arguments: { code: 'print(1)' }, result: { outcome: 'OUTCOME_OK', output: '1' } },
      },
      { type: 'text', text: 'One.' },
      { type: 'image', media_type: 'image/png', data: 'AAAA' },
    ])
  })

  test('that ended in an error is asked again', async () => {
    await using google = await googleServer([[{ text: 'so' }]], 'MALFORMED_FUNCTION_CALL')
    await expect((await google.model()).answer(request())).rejects.toMatchObject({
      code: 'stream_cut',
      retryable: true,
      message: expect.stringContaining('MALFORMED_FUNCTION_CALL'),
    })
  })
})

/** Answers each request with the same parts, one event for each list, as Google streams them. */
async function googleServer(events: readonly (readonly object[])[], finishReason = 'STOP') {
  // biome-ignore lint/suspicious/noExplicitAny: the body is looked into freely
  const bodies: any[] = []
  const keys: unknown[] = []
  const server = createServer(async (incoming, response) => {
    bodies.push(JSON.parse(Buffer.concat(await Array.fromAsync(incoming)).toString()))
    keys.push(incoming.headers['x-goog-api-key'])
    const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 4, totalTokenCount: 9 }
    response.writeHead(incoming.url?.startsWith('/v1beta/models/gemini-test:streamGenerateContent') ? 200 : 404)
    for (const [index, parts] of events.entries()) {
      const last = index === events.length - 1 ? { finishReason } : {}
      const candidate = { content: { role: 'model', parts }, index: 0, ...last }
      response.write(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\n\n`)
    }
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const env = { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}` }
  return {
    bodies,
    keys,
    model: (): Promise<Model> => openModel('google/gemini-test', { env, directory: '.' }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const TEXT = fc.string({ unit: 'grapheme', minLength: 1 }).filter(text => text.trim() !== '')
const ARGUMENTS = fc.oneof(fc.dictionary(TEXT, fc.jsonValue() as fc.Arbitrary<Json>), fc.string())
const RESULT = fc.tuple(fc.oneof(fc.jsonValue() as fc.Arbitrary<Json>, fc.string()), fc.boolean())

/** A valid conversation (P5): turns of text, calls and their results, with now and then an empty answer. */
const CONVERSATION: fc.Arbitrary<Message[]> = fc
  .array(fc.tuple(TEXT, fc.string(), fc.array(fc.tuple(ARGUMENTS, RESULT), { maxLength: 3 })), { maxLength: 4 })
  .map(turns => [
    ...turns.flatMap(([said, answered, calls], turn) => [
      user(said),
      assistant(answered, ...calls.map(([args], index) => call(`c.${turn}:${index}`, args))),
      ...calls.map(([, [content, isError]], index) => result(`c.${turn}:${index}`, content, isError)),
    ]),
    user('go on'),
  ])

import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { openAnthropicServer } from '../../testing/servers/anthropic-server.ts'
import { openGoogleServer } from '../../testing/servers/google-server.ts'
import type { ModelServer, ModelServerOptions } from '../../testing/servers/model-server.ts'
import { openOpenAiServer } from '../../testing/servers/openai-server.ts'
import { openResponsesServer } from '../../testing/servers/responses-server.ts'
import { PROVIDER_RULES, type WireName } from '../provider-rules/provider-rules.ts'
import { PROVIDERS } from '../providers.ts'
import { faultsOf, RULE_NAMES, type RuleName } from './faults-of.ts'
import { lastCheck } from './last-check.ts'

interface Case {
  readonly wire: keyof typeof WIRES
  readonly prompt?: readonly LanguageModelV4Message[]
  readonly tools?: LanguageModelV4CallOptions['tools']
  /** What people learn of the repair. Default: nothing. */
  readonly told?: RegExp
}

interface Wire {
  readonly model: string
  open(options: ModelServerOptions): Promise<ModelServer>
}

const WIRES = {
  anthropic: { model: 'anthropic/claude-test', open: openAnthropicServer },
  openai_chat: { model: 'openai-chat/gpt-test', open: openOpenAiServer },
  openai_responses: { model: 'openai-responses/gpt-5-test', open: openResponsesServer },
  google: { model: 'google/gemini-3-test', open: openGoogleServer },
} satisfies Partial<Record<WireName, Wire>>

const user = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (...content: Extract<LanguageModelV4Message, { role: 'assistant' }>['content']) =>
  ({ role: 'assistant', content }) as const
const text = (said: string) => ({ type: 'text', text: said }) as const
const call = (toolCallId: string, toolName = 'look') =>
  ({ type: 'tool-call', toolCallId, toolName, input: {} }) as const
const result = (toolCallId: string, toolName = 'look') =>
  ({ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: 'seen' } }) as const
const results = (...content: ReturnType<typeof result>[]): LanguageModelV4Message => ({ role: 'tool', content })
const thought = { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 'signed' } } } as const
const tool = (name: string, inputSchema: object = { type: 'object', properties: {} }) =>
  ({ type: 'function', name, description: 'Acts.', inputSchema }) as const

/** A PNG of this width, with as many bytes. */
function png(width: number, bytes = 26): string {
  const data = Buffer.alloc(bytes)
  data.write('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01', 'latin1')
  data.writeUInt32BE(width, 16)
  return data.toString('base64')
}

const file = (data: string, mediaType = 'image/png') =>
  ({ type: 'file', mediaType, filename: 'a.png', data: { type: 'data', data } }) as const
const shown = (...content: ReturnType<typeof file>[]): LanguageModelV4Message[] => [{ role: 'user', content }]

/** The first thought of the server. */
const ITEM = {
  type: 'reasoning',
  text: 'Hm.',
  providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'encrypted 1: Hm.' } },
} as const

const HALF = 'an \ud83d end'
const SEARCH = { type: 'tool-call', toolName: 'web_search', input: {}, providerExecuted: true } as const

/** One for each rule: a rule without a case does not compile. */
const CASES: Readonly<Record<RuleName, Case>> = {
  tool_name: { wire: 'anthropic', tools: [tool('a.b'), tool('look')], told: /^The tool a\.b is left out.*the name/ },
  tool_twice: { wire: 'anthropic', tools: [tool('look'), tool('look')], told: /^The tool look .*has its name/ },
  tool_schema: { wire: 'google', tools: [tool('look', { type: 'object', properties: {}, $schema: 'x' })], told: /key/ },
  too_many_tools: {
    ...{ wire: 'openai_chat', tools: Array.from({ length: 129 }, (_, index) => tool(`t${index}`)) },
    told: /^The tool t128 is left out of what openai-chat is sent: it takes 128 tools/,
  },
  half_character: { wire: 'anthropic', prompt: [user(HALF)] },
  blank_text: { wire: 'anthropic', prompt: [{ role: 'user', content: [text(' \n'), text('hello')] }] },
  empty_message: { wire: 'openai_chat', prompt: [user('a'), { role: 'user', content: [] }] },
  no_message: { wire: 'anthropic', prompt: [{ role: 'system', content: 'Be brief.' }] },
  image_unreadable: { wire: 'google', prompt: shown(file('AAAA')), told: /no image that can be read/ },
  image_type: { wire: 'openai_chat', prompt: shown(file(png(1), 'image/jpeg')) },
  image_bytes: { wire: 'openai_responses', prompt: shown(file(png(1, 4_000_000))), told: /3\.8 MB/ },
  image_pixels: { wire: 'anthropic', prompt: shown(file(png(8_001))), told: /8001 by 1 pixels are more than 8000/ },
  many_images: {
    ...{ wire: 'anthropic', prompt: shown(file(png(2_001)), ...Array.from({ length: 20 }, () => file(png(1)))) },
    told: /more than 2000 a side/,
  },
  too_many_files: {
    ...{ wire: 'anthropic', prompt: shown(...Array.from({ length: 101 }, () => file(png(1)))) },
    told: /100 images and files/,
  },
  too_many_bytes: {
    ...{ wire: 'anthropic', prompt: shown(...Array.from({ length: 9 }, () => file(png(1, 3_900_000)))) },
    told: /it takes 32 MB/,
  },
  call_name: { wire: 'openai_chat', prompt: [user('a'), assistant(call('c', 'a.b')), results(result('c', 'a.b'))] },
  call_id: { wire: 'anthropic', prompt: [user('a'), assistant(call('c:1')), results(result('c:1'))] },
  call_twice: {
    wire: 'openai_chat',
    prompt: [user('a'), assistant(call('c')), results(result('c')), assistant(call('c')), results(result('c'))],
  },
  provider_call_alone: {
    ...{ wire: 'anthropic', told: /half of the call/ },
    prompt: [user('a'), assistant({ ...SEARCH, toolCallId: 'srvtoolu_1' }, text('Found.')), user('b')],
  },
  thought_twice: {
    wire: 'openai_responses',
    prompt: [user('a'), assistant(ITEM, text('b')), user('c'), assistant(ITEM, text('b')), user('d')],
  },
  thought_last: { wire: 'anthropic', prompt: [user('a'), assistant(text('b'), thought), user('c')] },
  result_orphan: {
    wire: 'openai_responses',
    prompt: [user('a'), results(result('c'))],
    told: /is left out.*the call is/,
  },
  call_unanswered: {
    wire: 'google',
    prompt: [user('a'), assistant(call('c')), user('b')],
    told: /with a note in place/,
  },
  result_late: { wire: 'openai_chat', prompt: [user('a'), assistant(call('c')), user('b'), results(result('c'))] },
  answers_in_a_row: {
    wire: 'google',
    prompt: [user('a'), assistant(text('b')), assistant(call('c')), results(result('c'))],
  },
  answer_first: { wire: 'anthropic', prompt: [assistant(text('a')), user('b')] },
  answer_last: { wire: 'anthropic', prompt: [user('a'), assistant(text('b'))] },
}

const EACH = RULE_NAMES.map(rule => [rule, CASES[rule]] as const)

const requestOf = ({ prompt = [user('hello')], tools }: Case): LanguageModelV4CallOptions => ({
  prompt: [...prompt],
  ...(tools && { tools }),
})

const checked = ({ wire, ...given }: Case) =>
  lastCheck(requestOf({ wire, ...given }), {
    ...{ model: WIRES[wire].model, rules: PROVIDER_RULES[wire], messages: [], origins: new WeakMap() },
    tools: { trueName: name => name },
  })

/** What the provider says to the request, as its package sends it. */
async function refusals(wire: Case['wire'], request: LanguageModelV4CallOptions): Promise<readonly string[]> {
  const { model, open } = WIRES[wire]
  const [provider = '', name = ''] = model.split('/')
  const thinks = wire === 'openai_responses'
  await using server = await open({ turns: () => 'ok', ...(thinks && { thought: 'Hm.' }) })
  const loaded = await PROVIDERS[provider]?.load(name, { baseURL: server.url, apiKey: 'sk-test' })
  const options = thinks ? { providerOptions: { openai: { store: false } } } : {}
  await loaded?.doStream({ prompt: [user('hello')], ...options })
  await Promise.resolve(loaded?.doStream({ ...request, ...options })).catch(() => {})
  expect(server.requests).toHaveLength(2)
  return server.requests[1]?.violations ?? []
}

test.each(EACH)('%s: one rule alone finds it, and names its source', (rule, given) => {
  const rules = PROVIDER_RULES[given.wire]
  const faults = faultsOf(rules, requestOf(given))
  expect([...new Set(faults.map(fault => fault.rule))]).toEqual([rule])
  expect(faults[0]?.source.length).toBeGreaterThan(10)
  const others = RULE_NAMES.filter(name => name !== rule)
  expect(faultsOf(rules, requestOf(given), others)).toEqual([])
})

test.each(EACH)('%s: the provider refuses the request as it was', async (_rule, given) => {
  expect(await refusals(given.wire, requestOf(given))).not.toEqual([])
})

test.each(EACH.filter(([rule]) => rule !== 'no_message'))(
  '%s: the provider takes what is sent, and people learn what they lose',
  async (_rule, given) => {
    const { sent, notes } = checked(given)
    expect(faultsOf(PROVIDER_RULES[given.wire], sent)).toEqual([])
    expect(await refusals(given.wire, sent)).toEqual([])
    if (given.told) expect(notes).toEqual([expect.stringMatching(given.told)])
    else expect(notes).toEqual([])
  },
)

test.each([CASES.no_message, { wire: 'anthropic', prompt: [user('a'.repeat(33 * 1024 * 1024))] } satisfies Case])(
  'a request that cannot be mended is not sent (%#)',
  given => {
    expect(() => checked(given)).toThrow(
      expect.objectContaining({
        code: 'model_rejected',
        message: expect.stringMatching(
          /^anthropic\/claude-test was not asked, because anthropic would refuse the request: /,
        ),
        hint: expect.stringContaining('/drop'),
        details: { refusal: expect.objectContaining({ about: expect.any(String) }) },
      }),
    )
  },
)

test.each(Object.keys(WIRES) as Case['wire'][])('%s: a request without faults is sent as it is', wire => {
  const prompt = [user('a'), assistant(text('b'), call('c')), results(result('c')), user('d')]
  const request = { prompt, tools: [tool('look')] }
  expect(checked({ wire, ...request }).sent).toEqual(request)
})

test('people learn of a tool and of a part by the names that they know', () => {
  const image = file(png(8_001))
  const tools = [tool('t'.repeat(200))]
  const { notes } = lastCheck(
    { prompt: shown(image), tools },
    {
      ...{ model: 'anthropic/claude-test', rules: PROVIDER_RULES.anthropic },
      messages: [{ role: 'user', author: 'ana', content: [{ type: 'image', media_type: 'image/png', data: 'AAAA' }] }],
      origins: new WeakMap([[image, { message: 0, part: 0 }]]),
      tools: { trueName: () => 'files__read' },
    },
  )
  expect(notes).toEqual([
    'The tool read of the server files is left out of what anthropic is sent: it refuses the name.',
    expect.stringMatching(/^A picture in a message of ana \(message 1\) is left out of what anthropic is sent: /),
  ])
})

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { expect, test } from 'vitest'
import { openAnthropicServer } from '../../src/testing/servers/anthropic-server.ts'
import type { RecordedRequest } from '../../src/testing/servers/model-server.ts'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { mockLanguageModel } from './mock-language-model.ts'
import { advanced, ana, aWorkplace, call, onlyHold, started } from './workplace.ts'

interface Block {
  /** Its bytes on the wire, but for the breakpoint. */
  readonly bytes: string
  readonly isBreakpoint: boolean
}

/** What Anthropic caches, in its order: tools, instructions, and the blocks of the conversation. */
function blocksOf({ body }: RecordedRequest): Block[] {
  const messages = body.messages.flatMap(({ role, content }: { role: string; content: object[] }) =>
    content.map(block => ({ role, ...block })),
  )
  return [...(body.tools ?? []), ...(body.system ?? []), ...messages].map(({ cache_control, ...block }) => ({
    bytes: JSON.stringify(block),
    isBreakpoint: cache_control !== undefined,
  }))
}

const breakpointsOf = (request: RecordedRequest) =>
  blocksOf(request).flatMap(({ isBreakpoint }, index) => (isBreakpoint ? [index] : []))

const bytesUpTo = (request: RecordedRequest, place: number) =>
  blocksOf(request)
    .slice(0, place + 1)
    .map(({ bytes }) => bytes)

const many = Array.from({ length: 25 }, (_, index) => call(`b${index}`, 'B'))
const TURNS = [
  { text: 'First.', calls: [call('a1', 'A')] },
  { calls: many },
  { text: 'Held.', calls: [call('c1', 'C')] },
  { calls: [call('a2', 'A'), call('a3', 'A')] },
  'Done.',
]

const anthropic = (url: string) => ({
  model: 'anthropic/claude-sonnet-4-5',
  open: { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test' } },
})

test('a long run pays for its conversation once: each step begins with the last breakpoint of the step before', async () => {
  await using server = await openAnthropicServer({ turns: TURNS })
  await using place = await aWorkplace(it => ({
    ...anthropic(server.url),
    instructions: 'Help with orders.',
    tools: [it.tool('A'), it.tool('B'), it.held('C')],
  }))
  await using first = await place.open()
  const { id } = await started(first)
  await advanced(first, id)
  await first.decide((await onlyHold(first)).id, { verdict: 'approve', ...ana })
  await using second = await place.open()
  expect(await advanced(second, id)).toMatchObject({ status: 'done', answer: 'Done.' })

  const { requests } = server
  expect(requests).toHaveLength(5)
  for (const [index, request] of requests.entries()) {
    const [tools, instructions, ...rest] = breakpointsOf(request)
    expect([tools, instructions]).toEqual([2, 3])
    expect(rest.length).toBe(index === 0 ? 1 : 2)
    expect(rest.at(-1)).toBe(blocksOf(request).length - 1)
    const before = requests[index - 1]
    if (!before) continue
    const last = breakpointsOf(before).at(-1) ?? Number.NaN
    expect(rest[0]).toBe(last)
    expect(bytesUpTo(request, last)).toEqual(bytesUpTo(before, last))
  }
})

test('nothing is marked if prompt caching is turned off', async () => {
  await using server = await openAnthropicServer({ turns: ['Done.'] })
  await using place = await aWorkplace({ ...anthropic(server.url), instructions: 'Help.', promptCaching: false })
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain('cache_control')
})

test('an agent that says itself how Anthropic caches is left alone', async () => {
  await using server = await openAnthropicServer({ turns: ['Done.'] })
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } }
  await using place = await aWorkplace({ ...anthropic(server.url), instructions: 'Help.', providerOptions })
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  const [request] = server.requests
  expect(request?.body.cache_control).toEqual({ type: 'ephemeral', ttl: '1h' })
  expect(breakpointsOf(request as RecordedRequest)).toEqual([])
})

test('a model object of Anthropic is asked with breakpoints, one of others without', async () => {
  const claude = { ...mockLanguageModel('v2', [{ text: 'Done.' }]), provider: 'anthropic.messages' }
  await using place = await aWorkplace({ model: claude, instructions: 'Help.' })
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  const cacheControl = { anthropic: { cacheControl: { type: 'ephemeral' } } }
  expect(claude.doStreamCalls[0].prompt).toMatchObject([
    { role: 'system', providerOptions: cacheControl },
    { role: 'user', providerOptions: cacheControl },
  ])

  await using server = await openOpenAiServer({ turns: ['Done.'] })
  const llama = createOpenAICompatible({ name: 'groq', baseURL: server.url })('llama')
  await using others = await place.open({ model: llama })
  await advanced(others, (await started(others)).id)
  expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/cache/i)
})

test.each([
  ['Anthropic', openAnthropicServer, anthropic],
  [
    'an OpenAI-compatible server',
    openOpenAiServer,
    (url: string) => ({ model: 'openai-compatible/m', open: { env: { OPENAI_COMPATIBLE_BASE_URL: url } } }),
  ],
])('input that %s had kept is counted in the usage of the run', async (_name, openServer, options) => {
  const turns = [
    { calls: [call('a', 'A')], usage: { input: 100, output: 10 } },
    { calls: [call('b', 'A')], usage: { input: 120, output: 10, cached: 90 } },
    { text: 'Done.', usage: { input: 140, output: 10, cached: 110 } },
  ]
  await using server = await openServer({ turns })
  await using place = await aWorkplace(it => ({ ...options(server.url), tools: [it.tool('A')] }))
  await using holdpoint = await place.open()
  const { usage } = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(usage).toEqual({ input_tokens: 360, output_tokens: 30, total_tokens: 390, cached_input_tokens: 200 })
})

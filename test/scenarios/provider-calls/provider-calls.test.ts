/** What providers run themselves, and send beside text: it is on record, shown, ruled by the policy, and taken back. */
import { describe, expect, test } from 'vitest'
import type { AgentOptions, Holdpoint, RunView } from '../../../src/index.ts'
import type { ModelServer } from '../../../src/testing/servers/model-server.ts'
import { ALL_WIRES, expectInOrder, type Wire } from '../wires.ts'
import { advanced, aWorkplace, started, type Workplace } from '../workplace.ts'
import { ANTHROPIC_ANSWERS, GOOGLE_ANSWERS, OPENAI_ANSWERS, PAGE, PIXELS, SAID } from './recorded.ts'

type Case = Wire & {
  readonly tool: string
  readonly name: string
  readonly recorded: readonly (readonly object[])[]
  /** What the next request has of the call. */
  readonly back: readonly string[]
}

const wireOf = (model: string): Wire => ALL_WIRES.find(wire => wire.model.startsWith(model))!

const CASES: readonly Case[] = [
  {
    ...{ ...wireOf('openai-responses'), tool: 'openai.web_search', name: 'web_search', recorded: OPENAI_ANSWERS },
    back: ['"type":"web_search_call","id":"ws_1"', '"encrypted_content":"sealed rs_1"', '"phase":"final_answer"'],
  },
  {
    ...{ ...wireOf('anthropic'), tool: 'anthropic.web_search_20250305', name: 'web_search' },
    recorded: ANTHROPIC_ANSWERS,
    back: ['"encrypted_content":"sealed page"', '"encrypted_index":"sealed index"', '"id":"srvtoolu_01"'],
  },
  {
    ...{ ...wireOf('google'), tool: 'google.google_search', name: 'google_search', recorded: GOOGLE_ANSWERS },
    back: [PIXELS, 'signed image'],
  },
]

const server = (each: Case): Promise<ModelServer> =>
  each.open({ turns: ['1', '2', '3'].map(text => `Yes, ${text}.`), recorded: each.recorded })

const worker =
  (each: Case, { url }: ModelServer, more: Partial<AgentOptions> = {}) =>
  (it: Workplace): Partial<AgentOptions> => ({
    model: each.object(url),
    providerTools: { [each.tool]: {} },
    policy: { default: 'prompt', tools: { [`provider:${each.name}`]: 'auto', 'provider:image_generation': 'auto' } },
    tools: [it.tool('look')],
    ...more,
  })

const sent = ({ requests }: ModelServer, index: number): string => JSON.stringify(requests[index]?.body)

const offers = (server: ModelServer, index: number): boolean =>
  /web_?search|googleSearch/i.test(sent(server, index).split('"tools":')[1] ?? '')

function callsOf({ messages }: RunView): readonly object[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content.filter(({ type }) => type === 'provider_call') : [],
  )
}

async function recordsOf(holdpoint: Holdpoint): Promise<readonly unknown[]> {
  const records = await Array.fromAsync(holdpoint.audit.list())
  return records.flatMap(({ record }) => (record?.kind === 'model.answered' ? record.data['provider_calls'] : []))
}

describe.each(CASES)('with $model', each => {
  test('a search that the policy names is offered, journalled, on record, shown and taken back', async () => {
    await using model = await server(each)
    await using place = await aWorkplace(worker(each, model))
    await using first = await place.open()
    const { id, thread_id } = await started(first)
    const view = await advanced(first, id)
    expect(view).toMatchObject({ termination: { type: 'natural_end' }, warnings: [] })
    expect(offers(model, 0)).toBe(true)
    const ruled = { permitted: true, rule: `tools.provider:${each.name}: auto` }
    expect(callsOf(view)).toMatchObject([{ name: each.name, ...ruled }])
    expect(await recordsOf(first)).toEqual([{ name: `provider:${each.name}`, ...ruled }])
    expect((await first.audit.verify()).faults).toEqual([])
    const shown = (await first.messages(thread_id)).find(({ role }) => role === 'assistant')?.content
    for (const words of [SAID, `the provider ran ${each.name}`, `[source ${PAGE.title}, ${PAGE.url}]`])
      expect(shown).toContain(words)
    await using second = await place.open()
    const next = await second.send(thread_id, { text: 'Sure?' })
    expect(await advanced(second, next.run_id)).toMatchObject({ termination: { type: 'natural_end' }, warnings: [] })
    for (const words of each.back) expect(sent(model, 1)).toContain(words)
    expect(sent(model, 1)).not.toContain('the provider ran')
    expectInOrder(model, model.requests.length)
  })

  test('a search that no rule names is not offered; where it ran all the same, the run tells so and goes on', async () => {
    await using model = await server(each)
    await using place = await aWorkplace(worker(each, model, { policy: { default: 'auto' } }))
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    const view = await advanced(holdpoint, id)
    expect(view).toMatchObject({ termination: { type: 'natural_end' } })
    expect(offers(model, 0)).toBe(false)
    const told = view.warnings.map(({ message }) => message).join('\n')
    expect(told).toContain(`The model is not offered provider:${each.name}: no rule names provider:${each.name}`)
    expect(told).toContain(`the provider ran ${each.name}`)
    expect(told).toContain('not permitted')
    expect(callsOf(view)).toMatchObject([{ permitted: false }])
    expect(await recordsOf(holdpoint)).toMatchObject([{ name: `provider:${each.name}`, permitted: false }])
  })

  test('a search to which the policy says never ends the run, which says why', async () => {
    await using model = await server(each)
    await using place = await aWorkplace(
      worker(each, model, { policy: { default: 'auto', tools: { 'provider:*': 'never' } } }),
    )
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    expect(await advanced(holdpoint, id)).toMatchObject({
      termination: { type: 'error', code: 'provider_call_forbidden', message: expect.stringContaining(each.name) },
    })
    expect(model.requests).toHaveLength(1)
  })

  test('another provider gets the search in one line, and no file that it does not take', async () => {
    await using model = await server(each)
    await using place = await aWorkplace(worker(each, model))
    await using first = await place.open()
    const { id, thread_id } = await started(first)
    await advanced(first, id)
    for (const other of ALL_WIRES.filter(({ model: name }) => name !== each.model)) {
      await using elsewhere = await other.open({ turns: ['1', '2', '3', '4', '5'] })
      await using second = await place.open({ model: other.object(elsewhere.url) })
      const next = await second.send(thread_id, { text: 'Sure?' })
      expect(await advanced(second, next.run_id)).toMatchObject({ termination: { type: 'natural_end' }, warnings: [] })
      expect(sent(elsewhere, 0)).toContain(`[the provider ran ${each.name}`)
      expect(sent(elsewhere, 0)).not.toMatch(/encrypted_index|web_search_call/)
      expectInOrder(elsewhere, 1)
    }
  })
})

test('an image that a tool of OpenAI made is a part of the answer, and a line in the next request', async () => {
  const [openai] = CASES as readonly [Case]
  await using model = await server(openai)
  await using place = await aWorkplace(worker(openai, model, { providerTools: { 'openai.image_generation': {} } }))
  await using first = await place.open()
  const { id, thread_id } = await started(first)
  await advanced(first, id)
  await using second = await place.open()
  const next = await second.send(thread_id, { text: 'Draw it.' })
  const view = await advanced(second, next.run_id)
  expect(view).toMatchObject({ termination: { type: 'natural_end' }, answer: 'Yes, 3.' })
  expect(place.effects).toEqual(['look'])
  const drawn = view.messages.find(
    ({ content }) => typeof content !== 'string' && JSON.stringify(content).includes(PIXELS),
  )
  expect(drawn?.content).toMatchObject([
    { type: 'reasoning' },
    { type: 'provider_call', name: 'image_generation', result: { images: 1 } },
    { type: 'image', media_type: 'image/png', data: PIXELS },
    { type: 'text', text: 'Here it is.' },
    { type: 'tool_call' },
  ])
  expect(sent(model, 2)).toContain('you made it, and it is not sent back')
  expect(sent(model, 2)).not.toContain(PIXELS)
  expectInOrder(model, 3)
})

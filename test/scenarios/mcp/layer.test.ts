import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { CONTROL_NAMES } from '../../../src/runtime/agent-tasks/controls/controls.ts'
import { connected, ERAS, type Era, inProcess, TOKEN, textOf, URL_OF_TESTS } from './clients.ts'
import { anOffer, repeat, Waiting, whoAmI } from './sample-offer.ts'

const eras = Object.keys(ERAS) as Era[]

test.each(eras)('%s: a control is a tool with its schemas as they are, its title and its hints', async era => {
  await using http = inProcess(anOffer())
  const client = await connected(http, era)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['who_am_i', 'repeat', 'refuse'])
  expect(tools[1]).toMatchObject({
    title: repeat.title,
    description: repeat.description,
    inputSchema: { ...repeat.inputSchema, additionalProperties: false },
    outputSchema: repeat.outputSchema,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  })
  expect(client.getInstructions()).toContain('wait_for_tasks')
})

test.each(eras)('%s: a result is structured, and the same as text', async era => {
  await using http = inProcess(anOffer())
  const client = await connected(http, era)
  const result = await client.callTool({ name: 'repeat', arguments: { word: 'ho', times: 2 } })
  expect(result.structuredContent).toEqual({ said: 'hoho' })
  expect(textOf(result)).toEqual({ said: 'hoho' })
})

test.each(eras)('%s: a client signs by the name that it gives itself, made harmless', async era => {
  await using http = inProcess(anOffer())
  const client = await connected(http, era, {}, 'agent: <root>\u202e/run_1')
  const { structuredContent } = await client.callTool({ name: 'who_am_i' })
  expect(structuredContent).toEqual({ actor: 'mcp:agent-root-run_1', surface: 'mcp', runId: null })
})

test.each(eras)('%s: arguments that do not fit are refused with their places, and nothing is called', async era => {
  await using http = inProcess(anOffer())
  const client = await connected(http, era)
  const wrong = await client.callTool({ name: 'repeat', arguments: { word: 1, times: 0, more: true } })
  expect(wrong.isError).toBe(true)
  const { error } = textOf(wrong)
  expect(error).toMatchObject({ code: 'invalid_arguments', hint: expect.stringContaining('Nothing was done') })
  for (const place of ['word', 'times', 'more']) expect(error.message).toContain(place)
})

test.each(eras)('%s: a refusal is a result that tells the model its code, hint and details', async era => {
  await using http = inProcess(anOffer())
  const client = await connected(http, era)
  const refused = await client.callTool({ name: 'refuse' })
  expect(refused.isError).toBe(true)
  expect(refused.structuredContent).toBeUndefined()
  expect(textOf(refused)).toEqual({
    error: { code: 'busy', message: 'This is never done.', hint: 'Ask tomorrow.', details: { until: 'tomorrow' } },
  })
})

test.each(eras)('%s: an unknown tool is an error of the protocol that names those that are there', async era => {
  await using http = inProcess(anOffer())
  const client = await connected(http, era)
  await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining('who_am_i, repeat, refuse'),
  })
})

test.each(eras)('%s: while a control waits, whoever asked for progress is told of it', async era => {
  const waiting = new Waiting()
  const stop = new AbortController()
  await using http = inProcess(anOffer({ controls: [waiting.control], stopping: stop.signal }))
  const client = await connected(http, era)
  const told: unknown[] = []
  const result = client.callTool(
    { name: 'wait' },
    { onprogress: ({ progress, message }) => told.push([progress, message]) },
  )
  await waiting.began
  await expect
    .poll(() => told)
    .toEqual([
      [1, 'one is running'],
      [2, 'still one is running'],
    ])
  stop.abort()
  expect((await result).structuredContent).toEqual({ waited: true })
})

test.each(eras)('%s: a call that its client cancels ends its wait', async era => {
  const waiting = new Waiting()
  await using http = inProcess(anOffer({ controls: [waiting.control] }))
  const client = await connected(http, era)
  const cancel = new AbortController()
  const result = client.callTool({ name: 'wait' }, { signal: cancel.signal })
  await waiting.began
  cancel.abort('enough')
  await expect(result).rejects.toThrow('enough')
  await waiting.ended
})

test.each(eras)('%s: a client that hangs up ends its wait', async era => {
  const waiting = new Waiting()
  await using http = inProcess(anOffer({ controls: [waiting.control] }))
  const listen = getRequestListener(request => http.answer(request), { overrideGlobalObjects: false })
  await using server = createServer(listen).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new Client({ name: 'tester', version: '1' }, ERAS[era])
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  const result = client.callTool({ name: 'wait' })
  await waiting.began
  await client.close()
  await Promise.allSettled([result])
  await waiting.ended
  server.closeAllConnections()
})

test.each(eras)('%s: things are listed, found by a template, and read as JSON', async era => {
  await using http = inProcess(anOffer())
  const client = await connected(http, era)
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual(['holdpoint://items', 'holdpoint://items/a%2Fb'])
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates).toMatchObject([{ uriTemplate: 'holdpoint://items/{id}', mimeType: 'application/json' }])
  expect(await read(client, 'holdpoint://items')).toEqual([{ id: 'a/b' }])
  expect(await read(client, 'holdpoint://items/a%2Fb')).toEqual({ id: 'a/b' })
  for (const unknown of ['holdpoint://items/c', 'holdpoint://items/%ff', 'holdpoint://item', 'file:///etc/passwd'])
    await expect(client.readResource({ uri: unknown })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('holdpoint://items/{id}'),
    })
})

async function read(client: Client, uri: string): Promise<unknown> {
  const [content] = (await client.readResource({ uri })).contents
  return JSON.parse((content as { text: string }).text)
}

test('a fault of a control is told to the model without its trace, and to the log with it', async () => {
  const offer = anOffer({
    controls: [{ ...whoAmI, call: async () => Promise.reject(new RangeError('the disk is on fire')) }],
  })
  await using http = inProcess(offer)
  const client = await connected(http, 'latest')
  const failed = await client.callTool({ name: 'who_am_i' })
  expect(textOf(failed).error).toMatchObject({ code: 'internal_error', message: 'the disk is on fire' })
  expect(JSON.stringify(failed)).not.toContain('.ts:')
  expect(offer.errors).toMatchObject([{ message: 'the disk is on fire' }])
})

test('two sessions at once are two clients', async () => {
  await using http = inProcess(anOffer())
  const [one, other] = await Promise.all([connected(http, 'older', {}, 'one'), connected(http, 'older', {}, 'other')])
  const said = await Promise.all([one, other].map(client => client.callTool({ name: 'who_am_i' })))
  expect(said.map(({ structuredContent }) => (structuredContent as { actor: string }).actor)).toEqual([
    'mcp:one',
    'mcp:other',
  ])
})

test('one session more than there may be ends the one that was idle for longest', async () => {
  await using http = inProcess(anOffer(), { sessions: 1, idleMs: 60_000 })
  const first = await connected(http, 'older')
  const old = (first.transport as { sessionId?: string }).sessionId ?? ''
  await first.transport?.close()
  const second = await connected(http, 'older')
  expect((await second.callTool({ name: 'who_am_i' })).isError).toBeUndefined()
  const response = await http.answer(post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': old }))
  expect(response.status).toBe(404)
})

test('where all sessions are in use, one more is asked to come again', async () => {
  const waiting = new Waiting()
  await using http = inProcess(anOffer({ controls: [waiting.control] }), { sessions: 1, idleMs: 60_000 })
  const client = await connected(http, 'older')
  const result = client.callTool({ name: 'wait' })
  await waiting.began
  const full = await http.answer(post(INITIALIZE))
  expect(full.status).toBe(503)
  expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0)
  await client.close()
  await Promise.allSettled([result])
})

test('a session that nobody used for its time ends', async () => {
  await using http = inProcess(anOffer(), { sessions: 8, idleMs: 40 })
  const answer = await http.answer(post(INITIALIZE))
  await answer.text()
  const session = { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' }
  await new Promise(resolve => setTimeout(resolve, 120))
  const late = await http.answer(post({ jsonrpc: '2.0', id: 2, method: 'ping' }, session))
  expect(late.status).toBe(404)
  expect(session['mcp-session-id']).not.toBe('')
})

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
  'a client that speaks %s is answered in it',
  async revision => {
    await using http = inProcess(anOffer())
    const response = await http.answer(
      post({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: revision } }),
    )
    expect(await response.text()).toContain(`"protocolVersion":"${revision}"`)
  },
)

test('a body that is too large, no JSON, or of another type is refused for what it is', async () => {
  await using http = inProcess(anOffer())
  const raw = async (body: string, type = 'application/json') =>
    (await http.answer(post(body, { 'content-type': type }))).status
  expect(await raw(`"${'x'.repeat(4 * 1024 * 1024)}"`)).toBe(413)
  expect(await raw('{"jsonrpc":')).toBe(400)
  expect(await raw('{}', 'text/plain')).toBe(415)
  expect(await raw('{}')).toBe(400)
})

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(URL_OF_TESTS, {
    method: 'POST',
    headers: {
      host: '127.0.0.1:4653',
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

test('docs/mcp.md names every tool', () => {
  const text = readFileSync('docs/mcp.md', 'utf8')
  for (const name of [...CONTROL_NAMES, 'ask_user']) expect(text).toContain(`| \`${name}\``)
})

/** The official conformance suite, against the product and against its layer with the suite's own tools. */
import { spawn } from 'node:child_process'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { expect, test } from 'vitest'
import { visibleText } from '../../../src/core/text/visible-text.ts'
import type { ResourceSource } from '../../../src/protocols/mcp/offer/offer.ts'
import { inProcess, type McpHttp, TOKEN } from '../../scenarios/mcp/clients.ts'
import { overHttp } from '../../scenarios/mcp/mcp-process.ts'
import { aControl, anOffer } from '../../scenarios/mcp/sample-offer.ts'
import { aProject } from '../../scenarios/project.ts'
import { aServer, TOKEN as SERVER_TOKEN } from '../../scenarios/server/server-process.ts'
import { advanced, aWorkplace, call, openHold, started } from '../../scenarios/workplace.ts'

const SUITE = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/conformance/package.json')),
)

interface Verdict {
  readonly exit: number | null
  readonly text: string
}

/** Runs all scenarios; exit 0 where exactly the expected scenarios fail. */
function conformance(url: string, expected: string): Promise<Verdict> {
  const { promise, resolve: end } = Promise.withResolvers<Verdict>()
  const baseline = resolve(import.meta.dirname, expected)
  const child = spawn(process.execPath, [
    SUITE,
    'server',
    '--suite',
    'all',
    '--url',
    url,
    '--expected-failures',
    baseline,
  ])
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += String(chunk)))
  child.on('close', exit => end({ exit, text }))
  return promise
}

/** One caller may send 50 requests a second, and the suite sends more. */
const BETWEEN_MS = 21

/** The suite bears no token: this adds it and passes on everything else as it is, `Host` and `Origin` too. */
function withToken(target: URL, token: string): Server {
  let free = 0
  return createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const bearing = { ...headers, authorization: `Bearer ${token}` }
    const passOn = () => {
      const to = { host: target.hostname, port: target.port, path, method, headers: bearing }
      const passed = httpRequest(to, answer => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      })
      passed.on('error', () => outgoing.destroy())
      outgoing.on('close', () => passed.destroy())
      incoming.pipe(passed)
    }
    free = Math.max(free, performance.now()) + BETWEEN_MS
    setTimeout(passOn, free - performance.now())
  })
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** Both have `/mcp`: one for its owner alone, one for all who have a token. */
const PRODUCTS = [
  { name: 'holdpoint mcp --http', start: overHttp, token: TOKEN },
  { name: 'holdpoint serve', start: aServer, token: SERVER_TOKEN },
] as const

test.each(PRODUCTS)('`$name` conforms, but for what it does not offer', async ({ start, token }) => {
  await using project = await aProject()
  await using product = await start(project)
  const proxy = withToken(new URL(product.url), token)
  const verdict = await conformance(await listening(proxy), 'conformance-product.yml')
  proxy.closeAllConnections()
  proxy.close()
  expect(verdict.exit, verdict.text).toBe(0)
  expect(product.said.filter(line => line.includes('internal'))).toEqual([])
})

test('the layer conforms with the tools and forms of the suite, but for what it never answers with', async () => {
  await using place = await aWorkplace({ script: [{ calls: QUESTIONS }, 'Done.'], tools: ['ask_human'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id, { pauseOn: ['question'] })
  const holdOf = async (callId: string) => (await openHold(holdpoint, callId)).id
  const offer = anOffer({ controls: CONTROLS, resources: RESOURCES, asking: { holdpoint, visibleText } })
  await using http = inProcess(offer, { sessions: 64, idleMs: 60_000 })
  const server = createServer(
    getRequestListener(async request => http.answer(await asAsked(request, holdOf)), { overrideGlobalObjects: false }),
  )
  const verdict = await conformance(await listening(server), 'conformance-fixture.yml')
  server.closeAllConnections()
  server.close()
  expect(verdict.exit, verdict.text).toBe(0)
  const decided = await holdpoint.holds({ status: 'decided' })
  expect(decided.map(({ decision }) => decision?.surface)).toEqual(QUESTIONS.map(() => 'mcp-elicitation'))
})

const CONTROLS = [
  aControl('test_simple_text', async () => ({ text: 'This is a simple text response for testing.' })),
  aControl('test_error_handling', async () => {
    throw new RangeError('This tool intentionally returns an error for testing')
  }),
  aControl('test_tool_with_progress', async (_args, { onProgress }) => {
    for (const done of ['none', 'half', 'all']) onProgress(`${done} of it`)
    return { done: true }
  }),
  aControl('json_schema_2020_12_tool', async args => args, {
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
  }),
]

const RESOURCES: readonly ResourceSource[] = [
  aResource('test://static-text', 'This is the content of the static text resource.'),
  aResource('test://template', ''),
]

function aResource(uri: string, content: string): ResourceSource {
  return {
    uri,
    one: 'thing',
    title: uri,
    description: uri,
    list: async () => content,
    read: async id => ({ id, templateTest: true }),
    members: async () => [],
  }
}

const OPTIONS = ['option1', 'option2', 'option3']
const TITLED = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
]

/** The forms of the suite are the questions of an agent: its calls have the names of the suite's tools. */
const QUESTIONS = [
  question('test_elicitation', { username: { type: 'string' }, email: { type: 'string' } }),
  question('test_elicitation_sep1034_defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  question('test_elicitation_sep1330_enums', {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: TITLED },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: { type: 'array', items: { anyOf: TITLED } },
  }),
]

function question(name: string, properties: Record<string, Record<string, unknown>>): ReturnType<typeof call> {
  return call(name, 'ask_human', {
    question: 'Who are you?',
    schema: JSON.parse(JSON.stringify({ type: 'object', properties })),
  })
}

/** Bears the token; a tool of the suite that asks its user is `ask_user`, about the hold of that name. */
async function asAsked(
  request: Request,
  holdOf: (callId: string) => Promise<string>,
): Promise<Parameters<McpHttp['answer']>[0]> {
  const body = request.method === 'POST' ? await request.text() : null
  const name = /"name":"(test_elicitation\w*)"/.exec(body ?? '')?.[1]
  const asked = name ? JSON.parse(body ?? '') : null
  if (asked) asked.params = { ...asked.params, name: 'ask_user', arguments: { hold_id: await holdOf(name ?? '') } }
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${TOKEN}`)
  headers.delete('content-length')
  return new Request(request.url, {
    method: request.method,
    headers,
    body: asked ? JSON.stringify(asked) : body,
    signal: request.signal,
  })
}

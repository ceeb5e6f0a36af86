import { readdirSync, statSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProject, type Project } from '../project.ts'
import { TOKEN } from './clients.ts'
import { type HttpServer, overHttp } from './mcp-process.ts'

let project: Project
let server: HttpServer
beforeAll(async () => {
  project = await aProject()
  server = await overHttp(project)
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await project?.[Symbol.asyncDispose]()
})

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

interface Answer {
  readonly status: number
  readonly challenge: string | undefined
  readonly body: string
}

/** As anything on the network can write it, `Host` and `Origin` too. */
function post(headers: Readonly<Record<string, string>>, body: string = INITIALIZE, path = '/mcp'): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const all = {
    authorization: `Bearer ${TOKEN}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...headers,
  }
  const request = httpRequest({ host: '127.0.0.1', port: server.url.port, path, method: 'POST', headers: all })
  request.on('error', reject)
  request.on('response', async response => {
    let text = ''
    for await (const chunk of response) text += String(chunk)
    resolve({ status: response.statusCode ?? 0, challenge: response.headers['www-authenticate'], body: text })
  })
  request.end(body)
  return promise
}

test('it says where it listens and where the token is, never the token', () => {
  expect(server.url.hostname).toBe('127.0.0.1')
  expect(server.said.join('\n')).toContain('HOLDPOINT_MCP_TOKEN')
  expect(server.said.join('\n')).not.toContain(TOKEN)
})

test('P9: a message with a number that cannot be kept is refused by its place', async () => {
  const params = '{"name":"decide_hold","arguments":{"hold_id":"hold_x","value":1234567890123456789}}'
  const refused = await post({}, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params}}`)
  expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('value is 1234567890123456789') })
})

test('clients of the latest revision and of older ones are served side by side', async () => {
  const clients = await Promise.all([server.connect('latest'), server.connect('older'), server.connect('older')])
  const lists = await Promise.all(clients.map(client => client.listTools()))
  for (const { tools } of lists) expect(tools.map(({ name }) => name)).toContain('ask_user')
  expect(clients.map(client => client.getProtocolEra())).toEqual(['modern', 'legacy', 'legacy'])
  await Promise.all(clients.map(client => client.close()))
})

test.each([
  ['without a token', { authorization: '' }, 401],
  ['with another token', { authorization: 'Bearer not-the-token-of-this-server' }, 401],
  ['by the page of another origin', { origin: 'https://evil.example' }, 403],
  ['under the name of another host', { host: 'evil.example' }, 403],
])('a request %s is refused', async (_how, headers, status) => {
  const answer = await post(headers)
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body).error.message).not.toBe('')
  expect(answer.challenge?.startsWith('Bearer') ?? false).toBe(status === 401)
})

test('a body that is too large, or no JSON, is refused, and the server goes on', async () => {
  expect((await post({}, '{"jsonrpc":')).status).toBe(400)
  expect((await post({ 'content-length': '50000000' }, '')).status).toBe(413)
  expect(
    (await post({ 'transfer-encoding': 'chunked' }, 'x'.repeat(5 * 1024 * 1024)).catch(() => ({ status: 413 }))).status,
  ).toBe(413)
  expect((await post({}, INITIALIZE, '/')).status).toBe(404)
  expect((await post({})).status).toBe(200)
})

test('a token is made where none is given, for its owner alone, and a port in use is refused', async () => {
  await using other = await aProject({ env: { HOLDPOINT_MCP_TOKEN: '' } })
  const taken = await other.holdpoint('mcp', '--http', '--port', server.url.port)
  expect(taken).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('--port 0') })
  const secrets = other.path('.local/state/holdpoint/secrets')
  const [id = ''] = readdirSync(secrets)
  expect(statSync(join(secrets, id, 'mcp-token')).mode & 0o777).toBe(0o600)
})

test('SIGTERM ends it with 0, also while clients are connected', async () => {
  const client = await server.connect('older')
  server.child.kill('SIGTERM')
  expect(await server.exit).toBe(0)
  await client.close().catch(() => {})
})

import { type Schema, Validator } from '@cfworker/json-schema'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { otherRoutes } from '../../../scripts/list-routes.ts'
import { openApi } from '../../../src/protocols/rest/route/open-api.ts'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, doneRun, openHold, type ServerProcess } from './server-process.ts'
import { openStream } from './stream-client.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']

let project: Project
let server: ServerProcess
// biome-ignore lint/suspicious/noExplicitAny: the document is what this file checks
let api: any
let ids: Readonly<Record<string, string>> = {}
beforeAll(async () => {
  project = await aProject({ script, policy: { default: 'prompt' } })
  server = await aServer(project)
  api = (await server.send('/openapi.json', { token: '' })).json
  const { json: done } = await server.send('/v1/threads', { body: { input: 'deploy' } })
  const first = await openHold(server, done.run_id)
  const decided = await server.send(`/v1/holds/${first.id}/decisions`, { body: { verdict: 'approve' } })
  expectFit('POST /v1/holds/{id}/decisions', decided.json)
  await doneRun(server, done.run_id)
  const { json: started } = await server.send('/v1/threads', { body: { input: 'deploy' } })
  const hold = await openHold(server, started.run_id)
  ids = { holds: hold.id, runs: started.run_id, threads: started.thread_id }
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await project?.[Symbol.asyncDispose]()
})

/** The document fits what the page says of a route. */
function expectFit(route: string, document: unknown, status = '200'): void {
  const [method = '', path = ''] = route.split(' ')
  const [content] = Object.values(api.paths[path][method.toLowerCase()].responses[status].content) as Record<
    string,
    Schema
  >[]
  const schema = content?.['x-event-data'] ?? content?.['schema']
  const { valid, errors } = new Validator({ ...(schema as object), components: api.components }, '2020-12').validate(
    document,
  )
  expect([route, valid, errors.map(({ error }) => error)]).toEqual([route, true, []])
}

test('the page needs no token, names every route once, and refers to nothing that is not there', () => {
  expect(api).toMatchObject({ openapi: '3.1.0', info: { title: 'Holdpoint', version: expect.any(String) } })
  for (const [, name = ''] of JSON.stringify(api).matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g))
    expect(Object.keys(api.components.schemas)).toContain(name)
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const operations = Object.values(api.paths).flatMap(path => Object.values(path as any)) as any[]
  const names = operations.map(({ operationId }) => operationId)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toContain('post_holds_id_decisions')
  expect(api.paths['/healthz'].get.security).toEqual([])
})

test('the page has the routes of every protocol, with their bodies', () => {
  const all = openApi([], { schemas: {}, version: '0', others: otherRoutes() })
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const paths = all['paths'] as any
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining(['/slack/interactions', '/github/webhook', '/mail/inbound']),
  )
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/l/{token}', '/sign-in/provider', '/sign-in/callback']))
  expect(paths['/slack/interactions'].post).toMatchObject({ summary: expect.any(String), security: [] })
  expect(Object.keys(paths['/l/{token}'].post.requestBody.content)).toEqual(['application/x-www-form-urlencoded'])

  const others = otherRoutes().filter(({ path }) => /^\/(api|ag-ui|mcp)\b/.test(path))
  for (const { path, methods, maxBodyBytes } of others)
    for (const method of methods) {
      const operation = api.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      expect([path, operation?.summary]).toEqual([path, expect.any(String)])
      if (method === 'POST' && maxBodyBytes) expect([path, operation.requestBody]).toEqual([path, expect.any(Object)])
    }
})

test.each([
  ['/api/chat', { id: 'c', messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }] }, { id: 7 }],
  ['/ag-ui/{agent}', { threadId: 't', runId: 'r', messages: [{ id: 'u1', role: 'user', content: 'go' }] }, {}],
  ['/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '1.0' }],
])('the body that a client posts to %s fits its schema, and a wrong one does not', (path, body, wrong) => {
  const { schema } = api.paths[path].post.requestBody.content['application/json']
  const fits = (given: unknown) => new Validator(schema, '2020-12').validate(given).valid
  expect([fits(body), fits(wrong)]).toEqual([true, false])
})

test.each([
  '/v1/holds',
  '/v1/holds/{id}',
  '/v1/runs',
  '/v1/runs/{id}',
  '/v1/runs/{id}/explanation',
  '/v1/threads/{id}',
  '/v1/threads/{id}/messages',
  '/v1/threads/{id}/checkpoints',
  '/v1/tasks',
  '/v1/agents',
  '/v1/grants',
  '/v1/audit',
  '/v1/audit/head',
  '/v1/me',
  '/healthz',
])('the answer of GET %s fits its schema', async path => {
  const noun = path.split('/')[2] ?? ''
  const { status, json } = await server.send(path.replace('{id}', ids[noun] ?? ''))
  expect(status).toBe(200)
  expectFit(`GET ${path}`, json)
})

test('the events of both streams, and a refusal, fit their schemas', async () => {
  await using thread = await openStream(server, `/v1/threads/${ids['threads']}/events`)
  await thread.first(({ event }) => event === 'hold.opened')
  for (const { data } of thread.frames) expectFit('GET /v1/threads/{id}/events', data)
  await using changes = await openStream(server, '/v1/changes?since=0')
  await changes.first(({ event }) => event === 'run.finished')
  for (const { data } of changes.frames.slice(1)) expectFit('GET /v1/changes', data)
  expectFit('GET /v1/runs/{id}', (await server.send('/v1/runs/run_x')).json, '404')
})

import { expect, test } from 'vitest'
import { RefusedError } from '../../core/errors.ts'
import { answerRequests } from './answer-requests.ts'
import { oneToken } from './one-token.ts'
import type { Exchange, Route } from './route.ts'

const TOKEN = 'the-token-of-this-test'

const echo: Route = {
  methods: ['POST'],
  path: '/v1/echoes/:name',
  maxBodyBytes: 100,
  answer: async ({ caller, params, body }: Exchange) => Response.json({ by: caller.name, ...params, body }),
}
const look: Route = {
  methods: ['GET'],
  path: '/v1/echoes/:name',
  answer: async ({ params, url }) => Response.json({ ...params, since: url.searchParams.get('since') }),
}
const refusing: Route = {
  methods: ['GET'],
  path: '/refusing',
  answer: async () => {
    throw new RefusedError('busy', 'This is never done.', { hint: 'Ask tomorrow.' })
  },
}
const missing: Route = {
  methods: ['GET'],
  path: '/missing',
  answer: async () => {
    throw new RefusedError('unknown_hold', 'There is no such echo.')
  },
}
const failing: Route = { methods: ['GET'], path: '/failing', answer: () => Promise.reject(new Error('secret')) }
const plain: Route = {
  methods: ['GET'],
  path: '/plain',
  answer: async () => new Response('plain'),
  refuse: ({ status, code }) => new Response(code, { status }),
}

interface Sent extends RequestInit {
  readonly token?: string
  readonly stopping?: AbortSignal
}

const errors: Error[] = []

async function send(path: string, { token = TOKEN, stopping, ...init }: Sent = {}): Promise<Response> {
  const answer = answerRequests([echo, look, refusing, missing, failing, plain], {
    gate: { hosts: [], anyAddress: false, identify: oneToken(TOKEN, { name: 'ana', role: 'admin' }) },
    stopping: stopping ?? new AbortController().signal,
    onError: error => errors.push(error),
  })
  const request = new Request(`http://localhost:4653${path}`, init)
  request.headers.set('host', 'localhost:4653')
  if (token) request.headers.set('authorization', `Bearer ${token}`)
  return answer(request)
}

function post(body: string, type = 'application/json'): Sent {
  return { method: 'POST', body, headers: { 'content-type': type } }
}

test('a route gets its caller, the parts of its path and the JSON of its body', async () => {
  const response = await send('/v1/echoes/a%2Fb', post('{"word":"hi"}'))
  expect(await response.json()).toEqual({ by: 'ana', name: 'a/b', body: { word: 'hi' } })
})

test('of two routes of one path the method decides, and any other method is told which there are', async () => {
  expect(await (await send('/v1/echoes/x?since=4')).json()).toEqual({ name: 'x', since: '4' })
  const other = await send('/v1/echoes/x', { method: 'DELETE' })
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST, GET'])
})

test.each(['/', '/v1/echoes', '/v1/echoes/', '/v1/echoes/x/y', '/v1/echoes/%ff', '/Plain'])(
  'there is nothing at %s',
  async path => {
    const response = await send(path)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toEqual({
      type: 'urn:holdpoint:error:unknown_path',
      title: 'Not Found',
      status: 404,
      code: 'unknown_path',
      detail: 'There is nothing here.',
    })
  },
)

test('H1: without a caller every path gives the same answer, and no body is read', async () => {
  const paths = ['/v1/echoes/x', '/nothing', '/failing']
  const statuses = await Promise.all(paths.map(async path => (await send(path, { token: '' })).status))
  expect(statuses).toEqual([401, 401, 401])
  const request = await send('/v1/echoes/x', { ...post('{'), token: 'another' })
  expect(request.status).toBe(401)
})

test.each([
  ['no JSON', post('{"word":'), 400, 'not_json'],
  ['text that is not UTF-8', { ...post(''), body: Uint8Array.of(0x22, 0xff, 0x22) }, 400, 'not_json'],
  ['nothing', post(''), 400, 'not_json'],
  ['another type', post('{}', 'text/plain'), 415, 'unsupported_media_type'],
  ['a type that only begins like JSON', post('{}', 'application/jsonp'), 415, 'unsupported_media_type'],
  ['too much', post(JSON.stringify('x'.repeat(100))), 413, 'body_too_large'],
] as const)('a body of %s is refused', async (_what, sent, status, code) => {
  const response = await send('/v1/echoes/x', sent)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code })
})

test('a body that is longer than its header says is refused when it grows too large', async () => {
  const chunk = new Uint8Array(2 ** 20).fill(91)
  let given = 0
  const body = new ReadableStream({
    pull: controller => {
      given += 1
      controller.enqueue(chunk)
    },
  })
  const sent = { ...post(''), body, duplex: 'half', headers: { 'content-type': 'application/json; charset=utf-8' } }
  expect((await send('/v1/echoes/x', sent as Sent)).status).toBe(413)
  // A few megabytes are read and dropped, and then no more.
  expect(given).toBeLessThan(15)
})

test('a body that is too large is read to its end, so that a proxy passes on the refusal', async () => {
  let isRead = false
  const body = new ReadableStream({
    start: controller => controller.enqueue(new Uint8Array(2 ** 20).fill(91)),
    pull: controller => {
      isRead = true
      controller.close()
    },
  })
  const sent = { ...post(''), body, duplex: 'half', headers: { 'content-type': 'application/json; charset=utf-8' } }
  expect((await send('/v1/echoes/x', sent as Sent)).status).toBe(413)
  expect(isRead).toBe(true)
})

test('a refusal is told with its code and hint', async () => {
  const response = await send('/refusing')
  expect(response.status).toBe(409)
  expect(await response.json()).toMatchObject({
    code: 'busy',
    detail: 'This is never done.',
    hint: 'Ask tomorrow.',
  })
})

test('a refusal of what is unknown is told as such', async () => {
  expect((await send('/missing')).status).toBe(404)
})

test('H2: a failure is told to the host, and its caller learns only that there was one', async () => {
  const response = await send('/failing')
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('secret')
  expect(errors.map(({ message }) => message)).toEqual(['secret'])
})

test('H3: a protocol writes its own problems', async () => {
  const response = await send('/plain', { method: 'PUT' })
  expect([response.status, await response.text()]).toEqual([405, 'method_not_allowed'])
})

test('a server that is to end begins nothing more', async () => {
  const response = await send('/failing', { stopping: AbortSignal.abort() })
  expect([response.status, response.headers.get('connection')]).toEqual([503, 'close'])
})

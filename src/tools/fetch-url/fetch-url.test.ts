import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import type { ResolveAll } from '../../core/network/public-lookup.ts'
import { rule } from '../../core/policy/policy.ts'
import { readPolicy } from '../../core/policy/read-policy.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import { type FetchOptions, fetchUrl } from './fetch-url.ts'

type Routes = Readonly<Record<string, RequestListener | string>>

/** A site at `docs.test`, and what was asked of it. */
async function aSite(routes: Routes): Promise<{ readonly port: number; readonly asked: readonly string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`)
    const route =
      routes[request.url ?? ''] ?? ((_: unknown, to: ServerResponse) => to.writeHead(404).end('no such page'))
    if (typeof route === 'function') route(request, response)
    else response.setHeader('content-type', 'text/html').end(route)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, asked }
}

const toThisMachine: ResolveAll = (_, __, found) => found(null, [{ address: '127.0.0.1', family: 4 }])

function fetched(url: string, options: FetchOptions = {}, more: JsonObject = {}): Promise<JsonObject> {
  const tool = fetchUrl({ resolve: toThisMachine, ...options })
  return tool.execute({ url, ...more }, toolContext()) as Promise<JsonObject>
}

const redirect =
  (to: string, status = 302): RequestListener =>
  (_, response) =>
    response.writeHead(status, { location: to }).end()

test('a page is returned as Markdown, and a text as it is', async () => {
  const { port, asked } = await aSite({
    '/': '<title>Docs &amp; more</title><script>x()</script><h1>Hello</h1><p>See <a href="/b?x=1">the <b>next</b> page</a>.',
    '/a.json': (_, response) => response.setHeader('content-type', 'application/json').end('{"a": 1}'),
  })
  const options = { allow: [`docs.test:${port}`] }
  expect(await fetched(`http://docs.test:${port}/#top`, options)).toEqual({
    url: `http://docs.test:${port}/`,
    status: 200,
    content_type: 'text/html',
    title: 'Docs & more',
    content: `# Hello\n\nSee [the **next** page](http://docs.test:${port}/b?x=1).`,
    offset: 1,
    more: false,
  })
  expect(await fetched(`http://docs.test:${port}/a.json`, options)).toMatchObject({ content: '{"a": 1}' })
  expect(await fetched(`http://docs.test:${port}/none`, options)).toMatchObject({
    status: 404,
    content: 'no such page',
  })
  expect(asked[0]).toBe(`GET docs.test:${port} /`)
})

test.each([
  ...['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/', 'http://127.1/'],
  ...['http://localhost/', 'http://localhost./', 'http://a.localhost/', 'http://[::1]/', 'http://[::ffff:7f00:1]/'],
  ...['http://[::ffff:127.0.0.1]/', 'http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/', 'http://0/'],
  ...[
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://１２７.0.0.1/',
    'http://127.0.0.1./',
  ],
  ...['https://10.0.0.1:8443/', 'http://docs.test/', 'http://docs.test./', 'http://100.100.100.200/'],
])('P1: %s leads to this machine or its network, and is not fetched', async url => {
  await expect(fetched(url)).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' })
})

test.each([
  ...['file:///etc/passwd', 'ftp://docs.test/', 'gopher://docs.test/', 'docs.test', '//docs.test/', 'http://', ''],
  ...[
    'http://docs.test@127.0.0.1/',
    'https://user:secret@docs.test/',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
  ],
])('%s is no address that is fetched', async url => {
  const fault = await fetched(url).catch(thrown => thrown)
  expect(fault).toMatchObject({ code: expect.stringMatching(/^(INVALID_URL|INVALID_ARGUMENTS)$/) })
  expect(fault.message).not.toContain('secret')
})

test('P1: a name is looked up once, for the connection itself, so it cannot lead elsewhere after the check', async () => {
  let lookups = 0
  const rebinding: ResolveAll = (_, __, found) =>
    found(null, [lookups++ === 0 ? { address: '192.0.2.1', family: 4 } : { address: '127.0.0.1', family: 4 }])
  const { port, asked } = await aSite({ '/': 'secret' })
  const first = fetched(`http://rebind.test:${port}/`, { resolve: rebinding })
  await expect(first).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' })
  const second = fetched(`http://rebind.test:${port}/`, { resolve: rebinding })
  await expect(second).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' })
  expect([lookups, asked]).toEqual([2, []])
})

test('P1: redirects to another host are named to the model, and none leads to a private address', async () => {
  const { port, asked } = await aSite({
    '/moved': redirect('/new'),
    '/new': '<p>here',
    '/away': redirect('https://elsewhere.test/x', 301),
    '/inside': redirect('http://127.0.0.1:1/admin'),
    '/file': redirect('file:///etc/passwd'),
    '/port': redirect('http://docs.test:1/'),
    '/user': redirect('http://a:b@docs.test/'),
    '/round': redirect('/round'),
  })
  const [site, options] = [`http://docs.test:${port}`, { allow: [`docs.test:${port}`] }]
  expect(await fetched(`${site}/moved`, options)).toMatchObject({ url: `${site}/new`, content: 'here' })
  for (const [path, to] of [
    ['/away', 'https://elsewhere.test/x'],
    ['/inside', 'http://127.0.0.1:1/admin'],
    ['/port', 'http://docs.test:1/'],
  ])
    expect(await fetched(`${site}${path}`, options)).toMatchObject({ redirect_to: to })
  await expect(fetched(`${site}/file`, options)).rejects.toMatchObject({ code: 'INVALID_URL' })
  await expect(fetched(`${site}/user`, options)).rejects.toMatchObject({ code: 'INVALID_URL' })
  await expect(fetched(`${site}/round`, options)).rejects.toMatchObject({ code: 'TOO_MANY_REDIRECTS' })
  expect(asked.filter(line => line.endsWith('/round'))).toHaveLength(6)
})

test('what is allowed is a host, or one port of it', async () => {
  const { port } = await aSite({ '/': '<p>in' })
  const at = (host: string, allow: string[]) => fetched(`http://${host}:${port}/`, { allow })
  expect(await at('docs.test', ['docs.test'])).toMatchObject({ content: 'in' })
  expect(await at('127.0.0.1', ['127.0.0.1'])).toMatchObject({ content: 'in' })
  for (const allow of [['docs.test:1'], ['test'], ['127.0.0.1'], ['*']])
    await expect(at('docs.test', allow)).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' })
})

test('what is read is bounded, also after decompression, and says how to read on', async () => {
  const { port } = await aSite({
    '/bomb': (_, response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' })
        .end(gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a\n'))),
    '/lines': (_, response) =>
      response.setHeader('content-type', 'text/plain').end(Array.from({ length: 3000 }, (_, at) => at + 1).join('\n')),
    '/pdf': (_, response) => response.setHeader('content-type', 'application/pdf').end('%PDF-1.7'),
    '/bytes': (_, response) => response.end(Buffer.from([0, 1, 2])),
  })
  const [site, options] = [`http://docs.test:${port}`, { allow: ['docs.test'] }]
  const bomb = await fetched(`${site}/bomb`, options)
  expect(bomb).toMatchObject({ more: true, cut: expect.stringContaining('5 MB') })
  expect(String(bomb['content']).length).toBeLessThan(70_000)
  const lines = await fetched(`${site}/lines`, options, { offset: 2900 })
  expect(lines).toMatchObject({ content: expect.stringMatching(/^2900\n[\s\S]*\n3000$/), more: false })
  await expect(fetched(`${site}/pdf`, options)).rejects.toMatchObject({ code: 'NOT_TEXT' })
  await expect(fetched(`${site}/bytes`, options)).rejects.toMatchObject({ code: 'NOT_TEXT' })
})

test('texts of other charsets are read, and a server that does not answer is given up', async () => {
  const typed =
    (type: string, bytes: number[]): RequestListener =>
    (_, response) =>
      response.setHeader('content-type', type).end(Buffer.from(bytes))
  const { port } = await aSite({
    '/latin': typed('text/plain; charset=iso-8859-1', [0xe9]),
    '/old': typed('text/plain', [0x63, 0x61, 0x66, 0xe9]),
    '/utf16': typed('text/plain', [0xff, 0xfe, 0x41, 0x00]),
    '/meta': typed('text/html', [...Buffer.from('<meta charset=windows-1251><p>'), 0xcf]),
    '/silent': () => {},
  })
  const [site, options] = [`http://docs.test:${port}`, { allow: ['docs.test'] }]
  const read = async (path: string) => (await fetched(`${site}${path}`, options))['content']
  expect([await read('/latin'), await read('/old'), await read('/utf16'), await read('/meta')]).toEqual([
    ...['é', 'café', 'A', 'П'],
  ])
  const silent = fetched(`${site}/silent`, { ...options, timeoutMs: 20 })
  await expect(silent).rejects.toMatchObject({ code: 'FETCH_TIMED_OUT' })
})

test('a call that is stopped says that nothing came of it', async () => {
  const stop = new AbortController()
  const { port } = await aSite({ '/': () => stop.abort() })
  const tool = fetchUrl({ resolve: toThisMachine, allow: ['docs.test'] })
  const running = tool.execute({ url: `http://docs.test:${port}/` }, toolContext({ abortSignal: stop.signal }))
  await expect(running).rejects.toMatchObject({ code: 'TOOL_CALL_NOT_BEGUN' })
})

async function ruled(url: string, pattern: string, verdict: 'auto' | 'never'): Promise<string> {
  const policy = readPolicy({ rules: [{ tool: 'fetch_url', match: { url: pattern }, policy: verdict }] }, 'policy')
  const facts = await fetchUrl().inspect?.({ url }, '/', '/')
  if (!facts) throw new Error('it has no facts')
  return rule(policy, { tool: 'fetch_url', arguments: { url }, facts, needs_approval: null }).verdict
}

test.each([
  ['https://docs.test/a/b?c', 'https://docs.test/*', 'auto'],
  ['https://DOCS.test:443', 'https://docs.test/*', 'auto'],
  ['https://docs.test/x#y', 'https://docs.test/x', 'auto'],
  ['https://a.docs.test/x', 'https://*.docs.test/*', 'auto'],
  ['https://docs.test/x', 'https://docs.test*', 'auto'],
  ['http://docs.test/x', '*', 'auto'],
  ['http://docs.test/x', 'https://docs.test/*', 'prompt'],
  ['https://docs.test.evil.test/x', 'https://docs.test*', 'prompt'],
  ['https://evil.test/.docs.test/x', 'https://*.docs.test/*', 'prompt'],
  ['https://evil.test/?docs.test/x', 'https://*docs.test/*', 'prompt'],
  ['https://docs.test@evil.test/', 'https://docs.test*', 'prompt'],
  ['https://docs.test:8080/', 'https://docs.test/*', 'prompt'],
  ['https://docs.test\\@evil.test/', 'https://evil.test/*', 'prompt'],
  ['https://docs.test/a/../../b', 'https://docs.test/a/*', 'prompt'],
  ['file:///etc/passwd', '*', 'prompt'],
])('P1: %s under %s with auto: %s', async (url, pattern, verdict) => {
  expect(await ruled(url, pattern, 'auto')).toBe(verdict)
})

test.each([
  'https://evil.test/x',
  'http://evil.test/x',
  'https://EVIL.test./x',
  'https://evil.test:8443/x',
  'https://evil.test/%78',
  'https:\\\\evil.test/x',
  'https://evil.test/a/../x#docs',
])('P1: a rule with never about https://evil.test/x covers %s', async url => {
  expect(await ruled(url, 'https://evil.test/x', 'never')).toBe('never')
})

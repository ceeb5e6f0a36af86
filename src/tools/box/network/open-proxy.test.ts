import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { type NetworkProxy, openProxy, type ProxyOptions } from './open-proxy.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const each of cleanups.splice(0).reverse()) await each()
})

async function aProxy(options: Partial<ProxyOptions> = {}): Promise<NetworkProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'net-'))
  const proxy = await openProxy({ directory, mayReach: () => true, env: {}, ...options })
  cleanups.push(async () => {
    await proxy.close()
    rmSync(directory, { recursive: true })
  })
  return proxy
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Sends back what it is sent, and ends when it is ended. */
function echo(): Promise<number> {
  const sockets = new Set<Socket>()
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
  })
  return listening(
    createServer({ allowHalfOpen: true }, socket => {
      sockets.add(socket)
      socket.on('error', () => {}).pipe(socket)
    }),
  )
}

async function client({ socketPath }: NetworkProxy): Promise<Socket> {
  const socket = connect({ path: socketPath, allowHalfOpen: true })
  cleanups.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Says something, and waits for the first bytes of the answer. */
async function ask(socket: Socket, said: string | Buffer | number[]): Promise<Buffer> {
  socket.write(typeof said === 'string' ? said : Buffer.from(said))
  const [answer] = await once(socket, 'data')
  return answer as Buffer
}

const tunnel = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`

async function rawAnswer(proxy: NetworkProxy, said: string): Promise<string> {
  const socket = await client(proxy)
  socket.end(said)
  return text(socket)
}

const socksName = (name: string, port: number) => [5, 1, 0, 3, name.length, ...Buffer.from(name), port >> 8, port & 255]

async function socks(proxy: NetworkProxy, asked: number[]): Promise<{ socket: Socket; code: number | undefined }> {
  const socket = await client(proxy)
  expect([...(await ask(socket, [5, 1, 0]))]).toEqual([5, 0])
  return { socket, code: (await ask(socket, asked))[1] }
}

test('a tunnel passes bytes both ways, and the ends of both', async () => {
  const port = await echo()
  const proxy = await aProxy()
  const socket = await client(proxy)
  expect(String(await ask(socket, tunnel(`127.0.0.1:${port}`)))).toMatch(/^HTTP\/1\.1 200 /)
  const sent = randomBytes(20_000_000)
  socket.end(sent)
  expect((await buffer(socket)).equals(sent)).toBe(true)
  expect(proxy.reached).toEqual([{ host: '127.0.0.1', port }])
})

test('what may not be reached is refused at once, with a reason, and is noted once', async () => {
  const proxy = await aProxy({ mayReach: host => (host === 'no.example' ? 'refuse_quietly' : false) })
  for (const _ of [1, 2]) {
    const answer = await rawAnswer(proxy, tunnel('Example.COM.:443'))
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(answer).toMatch(/example\.com:443 is not permitted.*nothing was sent.*People can permit/)
  }
  expect(await rawAnswer(proxy, tunnel('no.example:22'))).toMatch(/no\.example:22 is refused by a rule/)
  expect(proxy.refused).toEqual([
    { host: 'example.com', port: 443, quietly: false },
    { host: 'no.example', port: 22, quietly: true },
  ])
  expect(proxy.reached).toEqual([])
})

test.each([
  ['2130706433:80', '127.0.0.1'],
  ['0x7f.1:80', '127.0.0.1'],
  ['0177.0.0.1:80', '127.0.0.1'],
  ['127.1:80', '127.0.0.1'],
  ['127.0.0.1.:80', '127.0.0.1'],
  ['[::ffff:127.0.0.1]:80', '127.0.0.1'],
  ['[::FFFF:7f00:1]:80', '127.0.0.1'],
  ['[0:0:0::1]:80', '::1'],
  ['EXAMPLE.com:80', 'example.com'],
  ['example.com.:80', 'example.com'],
])('rules see %s as %s', async (target, host) => {
  const proxy = await aProxy({ mayReach: () => false })
  await rawAnswer(proxy, tunnel(target))
  expect(proxy.refused).toEqual([{ host, port: 80, quietly: false }])
})

test.each([
  'example.com',
  'example.com:0',
  'example.com:65536',
  'example.com:+80',
  'ex%61mple.com:80',
  'a@example.com:80',
  'example.com\\@x:80',
  'a..b:80',
  '[::1%eth0]:80',
  '::1:80',
  'exa_mple.com/:80',
])('the target %s is malformed, and no rule is asked', async target => {
  const asked: string[] = []
  const proxy = await aProxy({ mayReach: host => asked.push(host) > 0 })
  expect(await rawAnswer(proxy, tunnel(target))).toMatch(/^HTTP\/1\.1 400 /)
  expect([asked, proxy.refused]).toEqual([[], []])
})

test('a name that leads to a private address is refused, unless the address is permitted, too', async () => {
  const port = await echo()
  const addresses = ['127.0.0.1']
  const resolve = async () => addresses
  const strict = await aProxy({ resolve, mayReach: host => host === 'trap.example' })
  const answer = await rawAnswer(strict, tunnel(`trap.example:${port}`))
  expect(answer).toMatch(
    new RegExp(`^HTTP/1.1 403 .*trap\\.example leads to 127\\.0\\.0\\.1:${port}, which is not permitted`, 's'),
  )
  expect(strict.refused).toEqual([{ host: '127.0.0.1', port, quietly: false }])

  const open = await aProxy({ resolve, mayReach: () => true })
  expect(String(await ask(await client(open), tunnel(`trap.example:${port}`)))).toMatch(/ 200 /)
})

test.each([
  '127.0.0.2',
  '0.0.0.0',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '::1',
  '::',
  'fe80::1',
  'fd00:ec2::254',
  '::ffff:10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '2002:7f00:1::',
  'ff02::1',
  '224.0.0.1',
  '255.255.255.255',
])('a permitted name is not led to %s', async address => {
  const proxy = await aProxy({ resolve: async () => [address], mayReach: host => host === 'trap.example' })
  expect(await rawAnswer(proxy, tunnel('trap.example:80'))).toMatch(/^HTTP\/1\.1 403 /)
})

test('localhost leads to this machine by its own rule', async () => {
  const port = await echo()
  const proxy = await aProxy({ resolve: async () => ['127.0.0.1'], mayReach: host => host === 'localhost' })
  expect(String(await ask(await client(proxy), tunnel(`localhost:${port}`)))).toMatch(/ 200 /)
})

test('the name is looked up once, and what was ruled on is connected to', async () => {
  const port = await echo()
  const answers = [['127.0.0.1'], ['127.0.0.9']]
  const proxy = await aProxy({ resolve: async () => answers.shift() ?? [] })
  const socket = await client(proxy)
  expect(String(await ask(socket, tunnel(`rebound.example:${port}`)))).toMatch(/ 200 /)
  expect(answers).toEqual([['127.0.0.9']])
})

test('a permitted host that does not answer is told apart from a refused one', async () => {
  const port = await listening(createServer())
  await cleanups.pop()?.()
  const proxy = await aProxy({ resolve: () => Promise.reject(new Error('no such name')) })
  expect(await rawAnswer(proxy, tunnel(`127.0.0.1:${port}`))).toMatch(
    /^HTTP\/1\.1 502 .*is permitted, but could not be reached/s,
  )
  expect(await rawAnswer(proxy, tunnel('gone.example:80'))).toMatch(/^HTTP\/1\.1 502 .*no such name/s)
  expect(proxy.refused).toEqual([])
})

async function aWebServer(): Promise<number> {
  const server = createHttpServer(async (asked, answer) => {
    const body = await buffer(asked)
    answer.setHeader('set-cookie', ['a=1', 'b=2'])
    answer.end(JSON.stringify({ method: asked.method, url: asked.url, headers: asked.headers, bytes: body.length }))
  })
  return listening(server)
}

interface Sent {
  readonly body?: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

async function plain(proxy: NetworkProxy, method: string, url: string, { body, headers }: Sent = {}) {
  const asked = request({
    socketPath: proxy.socketPath,
    method,
    path: url,
    headers: { host: 'lie.example', ...headers },
  })
  asked.end(body)
  const [answer] = await once(asked, 'response')
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('a plain %s is passed on', async method => {
  const port = await aWebServer()
  const proxy = await aProxy()
  const got = await plain(proxy, method, `http://127.0.0.1:${port}/a/../b?c=%20`, {
    headers: { 'proxy-connection': 'x', 'x-kept': '1' },
  })
  const seen = JSON.parse(got.body)
  expect(seen).toMatchObject({
    method,
    url: '/a/../b?c=%20',
    bytes: 0,
    headers: { host: `127.0.0.1:${port}`, 'x-kept': '1' },
  })
  expect(seen.headers).not.toHaveProperty('proxy-connection')
  expect(got.headers['set-cookie']).toEqual(['a=1', 'b=2'])
})

test('bodies of plain requests are streamed, of known length and in chunks', async () => {
  const port = await aWebServer()
  const proxy = await aProxy()
  const body = randomBytes(5_000_000)
  const known = await plain(proxy, 'POST', `http://127.0.0.1:${port}`, {
    body,
    headers: { 'content-length': String(body.length) },
  })
  const chunked = await plain(proxy, 'DELETE', `http://127.0.0.1:${port}`, {
    body,
    headers: { 'transfer-encoding': 'chunked' },
  })
  for (const { body } of [known, chunked]) expect(JSON.parse(body)).toMatchObject({ url: '/', bytes: 5_000_000 })
})

test.each([
  '/path',
  'https://example.com/',
  'ftp://example.com/',
  'http://',
  'http:///x',
  'http://a b/',
  '*',
  'http://[::1/',
])('the plain request of %s is malformed', async url => {
  const proxy = await aProxy({ mayReach: () => false })
  expect(await rawAnswer(proxy, `GET ${url} HTTP/1.1\r\nHost: example.com\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
  expect(proxy.refused).toEqual([])
})

test('each request of one connection is ruled on', async () => {
  const port = await aWebServer()
  const proxy = await aProxy({ mayReach: host => host === '127.0.0.1' })
  const one = (host: string, more = '') => `GET http://${host}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`
  const socket = await client(proxy)
  socket.write(one(`127.0.0.1:${port}`) + one('no.example') + one(`127.0.0.1:${port}`, 'Connection: close\r\n'))
  const answers = await text(socket)
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403', 'HTTP/1.1 200'])
})

test.each([
  ['http://user:word@127.0.0.1', ['127.0.0.1']],
  ['http://127.0.0.1@no.example', ['no.example']],
  ['http://127.0.0.1:80@no.example:80', ['no.example']],
  ['http://127.0.0.1\\@no.example', []],
  ['http://no.example#@127.0.0.1', []],
  ['http://no.example?@127.0.0.1', ['no.example']],
])('%s is asked of one host only: the one that is ruled on', async (url, hosts) => {
  const asked: string[] = []
  const proxy = await aProxy({ mayReach: host => asked.push(host) < 0 })
  const { status } = await plain(proxy, 'GET', `${url}/`)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(asked).toEqual(hosts)
})

test('SOCKS5 takes names and addresses', async () => {
  const port = await echo()
  const proxy = await aProxy({ resolve: async () => ['127.0.0.1'] })
  const four = [5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255]
  const six = [5, 1, 0, 4, ...Array(10).fill(0), 255, 255, 127, 0, 0, 1, port >> 8, port & 255]
  for (const asked of [four, six, socksName('localhost', port), socksName('::ffff:127.0.0.1', port)]) {
    const { socket, code } = await socks(proxy, asked)
    expect(code).toBe(0)
    expect(String(await ask(socket, 'hello'))).toBe('hello')
  }
})

test('SOCKS5 refuses a host with 2, a command that it has not with 7, an address that it has not with 8', async () => {
  const proxy = await aProxy({ mayReach: () => false })
  expect((await socks(proxy, socksName('example.com', 443))).code).toBe(2)
  expect((await socks(proxy, socksName('a\0b', 443))).code).toBe(2)
  expect((await socks(proxy, [5, 2, 0, 1, 1, 1, 1, 1, 0, 80])).code).toBe(7)
  expect((await socks(proxy, [5, 1, 0, 9])).code).toBe(8)
  const socket = await client(proxy)
  expect([...(await ask(socket, [5, 1, 2]))]).toEqual([5, 255])
  expect(proxy.refused).toEqual([{ host: 'example.com', port: 443, quietly: false }])
})

test('SOCKS4 and SOCKS4a are taken, too', async () => {
  const port = await echo()
  const proxy = await aProxy({ resolve: async () => ['127.0.0.1'], mayReach: host => host !== 'no.example' })
  const head = [4, 1, port >> 8, port & 255]
  for (const rest of [
    [127, 0, 0, 1, 0],
    [0, 0, 0, 1, 65, 0, ...Buffer.from('localhost\0')],
  ]) {
    const socket = await client(proxy)
    expect((await ask(socket, [...head, ...rest]))[1]).toBe(0x5a)
    expect(String(await ask(socket, 'hello'))).toBe('hello')
  }
  expect((await ask(await client(proxy), [...head, 0, 0, 0, 1, 0, ...Buffer.from('no.example\0')]))[1]).toBe(0x5b)
})

test('greetings that come byte by byte are understood', async () => {
  const port = await echo()
  const proxy = await aProxy()
  for (const said of [
    Buffer.from(tunnel(`127.0.0.1:${port}`)),
    Buffer.from([5, 1, 0, ...socksName('127.0.0.1', port)]),
  ]) {
    const socket = await client(proxy)
    socket.setNoDelay()
    let seen = ''
    socket.on('data', piece => (seen += piece.toString('latin1')))
    for (const byte of said) {
      socket.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }
    socket.write('after')
    await expect.poll(() => seen).toMatch(/after$/)
  }
})

test('a hundred connections at once, and more than the bound are closed', async () => {
  const port = await echo()
  const proxy = await aProxy({ maxConnections: 100 })
  const all = await Promise.all(Array.from({ length: 100 }, () => client(proxy)))
  const answers = await Promise.all(all.map(socket => ask(socket, tunnel(`127.0.0.1:${port}`))))
  expect(answers.every(answer => String(answer).includes(' 200 '))).toBe(true)
  const one = await client(proxy)
  one.on('error', () => {}).resume()
  await once(one, 'end')
})

test('headers without an end are cut off', async () => {
  const proxy = await aProxy()
  const answer = await rawAnswer(proxy, `CONNECT a:1 HTTP/1.1\r\n${'x: y\r\n'.repeat(20_000)}\r\n`).catch(String)
  expect(answer).toMatch(/^HTTP\/1\.1 431 |ECONNRESET|EPIPE/)
})

test('a silent tunnel is closed', async () => {
  const port = await echo()
  const proxy = await aProxy({ idleMs: 50 })
  const socket = await client(proxy)
  await ask(socket, tunnel(`127.0.0.1:${port}`))
  socket.on('error', () => {}).resume()
  await once(socket, 'end')
})

test('a client that goes away takes its connection along', async () => {
  const server = createServer(socket => socket.on('error', () => {}).resume())
  const port = await listening(server)
  const proxy = await aProxy()
  const socket = await client(proxy)
  await ask(socket, tunnel(`127.0.0.1:${port}`))
  const connections = () => new Promise(resolve => server.getConnections((_, count) => resolve(count)))
  expect(await connections()).toBe(1)
  socket.destroy()
  await expect.poll(connections).toBe(0)
})

test('a proxy of the machine is gone through, unless NO_PROXY names the host', async () => {
  const port = await echo()
  const web = await aWebServer()
  const outer = await aProxy({ resolve: async () => ['127.0.0.1'] })
  const heads: string[] = []
  const outerPort = await listening(
    createServer({ allowHalfOpen: true }, socket => {
      const inner = connect({ path: outer.socketPath, allowHalfOpen: true })
      socket.once('data', piece => heads.push(String(piece)))
      socket
        .on('error', () => {})
        .pipe(inner)
        .on('error', () => {})
        .pipe(socket)
    }),
  )
  const url = `http://me:secret@localhost:${outerPort}`
  const proxy = await aProxy({
    env: { HTTPS_PROXY: url, http_proxy: url, NO_PROXY: 'x.example,.near.example' },
    resolve: async () => ['127.0.0.1'],
  })
  const socket = await client(proxy)
  expect(String(await ask(socket, tunnel(`far.example:${port}`)))).toMatch(/ 200 /)
  expect(String(await ask(socket, 'hello'))).toBe('hello')
  expect((await plain(proxy, 'GET', `http://far.example:${web}/x`)).status).toBe(200)
  expect(heads.map(head => head.split(' HTTP')[0])).toEqual([
    `CONNECT far.example:${port}`,
    `GET http://far.example:${web}/x`,
  ])
  for (const head of heads) expect(head).toMatch(/proxy-authorization: Basic bWU6c2VjcmV0/i)
  expect((await plain(proxy, 'GET', `http://a.near.example:${web}/x`)).status).toBe(200)
  expect(heads).toHaveLength(2)
})

test('the socket and its directory are for this user alone', async () => {
  const proxy = await aProxy()
  expect(statSync(proxy.socketPath).mode & 0o777).toBe(0o600)
  const open = mkdtempSync(join(tmpdir(), 'net-'))
  cleanups.push(() => rmSync(open, { recursive: true }))
  chmodSync(open, 0o755)
  await expect(openProxy({ directory: open, mayReach: () => true })).rejects.toThrow(/open to others/)
})

test('the lists have at most a hundred entries', async () => {
  const proxy = await aProxy({ mayReach: () => false })
  for (let port = 1; port <= 110; port += 1) await rawAnswer(proxy, tunnel(`a.example:${port}`))
  expect(proxy.refused).toHaveLength(100)
})

test('a closed proxy ends its connections and leaves no socket', async () => {
  const port = await echo()
  const proxy = await aProxy()
  const socket = await client(proxy)
  await ask(socket, tunnel(`127.0.0.1:${port}`))
  socket.on('error', () => {}).resume()
  const closed = once(socket, 'end')
  await proxy.close()
  await closed
  expect(() => statSync(proxy.socketPath)).toThrow(/ENOENT/)
})

import { createServer, type IncomingMessage, request, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream'
import { bracketed, readPort } from '../../../core/effect/host-name.ts'
import { joinSockets, type Patience } from './join-sockets.ts'
import type { HostAndPort, Opened, WayOut } from './way-out.ts'

const MOST_HEADER_BYTES = 32_768
const MALFORMED = 'A proxy takes CONNECT host:port, or a whole URL that begins with http://. Nothing was sent.'

/** A server that never listens: it is given connections. It does CONNECT, and plain requests with whole URLs. */
export function httpProxy(way: WayOut, patience: Patience): Server {
  const server = createServer({ maxHeaderSize: MOST_HEADER_BYTES, keepAliveTimeout: 5_000 })
  server.timeout = patience.idleMs
  server.on('connect', (asked: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    void serveTunnel(asked, client, head, { way, patience }).catch(() => client.destroy())
  })
  server.on('request', (asked, answer) => {
    answer.on('error', () => answer.destroy())
    void servePlain(asked, answer, way).catch(() => answer.destroy())
  })
  return server
}

interface Means {
  readonly way: WayOut
  readonly patience: Patience
}

async function serveTunnel(
  asked: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { way, patience }: Means,
): Promise<void> {
  const target = readAuthority(asked.url ?? '', null)
  if (target === null) return void client.end(rawAnswer(400, MALFORMED))
  const opened = await way.open(target.host, target.port, 'tunnel')
  if (opened.kind !== 'open') return void client.end(rawAnswer(STATUS[opened.kind], opened.text))
  if (client.destroyed) return void opened.socket.destroy()
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  if (head.length > 0) client.unshift(head)
  joinSockets(client, opened.socket, patience)
}

async function servePlain(asked: IncomingMessage, answer: ServerResponse, way: WayOut): Promise<void> {
  const [, authority = '', rest = ''] = /^http:\/\/([^/?#]*)([^#]*)/is.exec(asked.url ?? '') ?? []
  const target = readAuthority(authority.slice(authority.lastIndexOf('@') + 1), 80)
  if (target === null) return refuse(answer, 400, MALFORMED)
  const opened = await way.open(target.host, target.port, 'request')
  if (opened.kind !== 'open') return refuse(answer, STATUS[opened.kind], opened.text)
  if (answer.destroyed) return void opened.socket.destroy()
  forward(asked, answer, opened, { port: target.port, path: rest.startsWith('/') ? rest : `/${rest}` })
}

type Open = Extract<Opened, { kind: 'open' }>

/** A connection for one request: what is kept open could serve another host's answer. */
function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  open: Open,
  { port, path }: { port: number; path: string },
) {
  const { socket, host, through } = open
  const at = `${bracketed(host)}${port === 80 ? '' : `:${port}`}`
  const headers = [...passedOn(asked), 'Host', at, 'Connection', 'close']
  if (through !== null && through.authorization !== null) headers.push('Proxy-Authorization', through.authorization)
  const outgoing = request({
    createConnection: () => socket,
    method: asked.method ?? 'GET',
    path: through === null ? path : `http://${at}${path}`,
    setHost: false,
    headers: headers as unknown as readonly string[],
  })
  outgoing.on('response', incoming => {
    answer.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, passedBack(incoming))
    pipeline(incoming, answer, () => {})
  })
  outgoing.on('error', thrown => {
    if (answer.headersSent) answer.destroy()
    else refuse(answer, 502, `${at} broke off: ${thrown.message}`)
  })
  answer.on('close', () => socket.destroy())
  asked.pipe(outgoing)
}

/** RFC 9110, 7.6.1: these are between two neighbours. The new `Host` is the one that was ruled on. */
const OWN_HEADERS = ['connection', 'proxy-connection', 'keep-alive', 'te', 'transfer-encoding', 'upgrade', 'expect']
const PROXY_HEADERS = ['proxy-authorization', 'proxy-authenticate', 'host']

function passedOn(asked: IncomingMessage): string[] {
  const kept = withoutHeaders(asked, [...OWN_HEADERS, ...PROXY_HEADERS])
  if (asked.headers['transfer-encoding'] !== undefined) return [...kept, 'Transfer-Encoding', 'chunked']
  // Node would announce a body for a POST that has none.
  return asked.headers['content-length'] === undefined && asked.method === 'POST'
    ? [...kept, 'Content-Length', '0']
    : kept
}

function passedBack(incoming: IncomingMessage): string[] {
  return withoutHeaders(incoming, OWN_HEADERS)
}

function withoutHeaders({ rawHeaders, headers }: IncomingMessage, names: readonly string[]): string[] {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/)
  const isOwn = (name: string) => names.includes(name) || named.includes(name)
  return rawHeaders.filter((_, index) => !isOwn((rawHeaders[index - (index % 2)] ?? '').toLowerCase()))
}

/** `host:port`, with brackets around IPv6. */
function readAuthority(text: string, usual: number | null): HostAndPort | null {
  const [, host, port] = /^(\[[^\]]*\]|[^:]+)(?::(\d*))?$/s.exec(text) ?? []
  const found = port ? readPort(port) : usual
  return host === undefined || found === null ? null : { host, port: found }
}

const STATUS = { refused: 403, unreachable: 502, malformed: 400 } as const

function refuse(answer: ServerResponse, status: number, text: string): void {
  if (answer.headersSent || answer.destroyed) return void answer.destroy()
  answer.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  answer.end(`${text}\n`)
}

function rawAnswer(status: number, text: string): string {
  const body = `${text}\n`
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Content-Type: text/plain; charset=utf-8']
  return [...head, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body].join('\r\n')
}

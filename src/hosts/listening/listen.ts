import { once } from 'node:events'
import { createServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { hostname } from 'node:os'
import { messageOf, RefusedError } from '../../core/errors.ts'
import type { AnswerRequest } from '../../protocols/http/answer-requests.ts'
import type { Gate } from '../../protocols/http/gate.ts'
import { type Problem, problemResponse } from '../../protocols/http/problem.ts'
import { limitUnproven } from './unproven-connections.ts'

/** Where a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** Certificate and key, in PEM. */
export interface Tls {
  readonly cert: Buffer
  readonly key: Buffer
}

export interface Listening {
  /** Without a path. */
  readonly url: string
  /** Sends the answers that are there, and ends what is open. */
  close(): Promise<void>
}

export interface ListenOptions {
  /** Default: it does not encrypt. */
  readonly tls?: Tls | null
  /** Of all clients; each takes one for every answer and stream that it waits for. Default: 512. */
  readonly connections?: number
}

const CONNECTIONS = 512
const MOST_HEADERS = 64
/** Characters of path and query. */
const LONGEST_URL = 8_192
/** Of those, the ones that have sent no request yet. */
const UNPROVEN = 256
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '::1']
const FLUSH_MS = 200

/** A client that sends its request slowly is cut off; an answer may take as long as it likes. */
const LIMITS: ServerOptions = {
  ...{ headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 },
  maxHeaderSize: 16_384,
}
const HANDSHAKE_MS = 10_000

/** @throws RefusedError `cannot_listen` */
export async function listen(
  answer: AnswerRequest,
  address: Address,
  { tls = null, connections = CONNECTIONS }: ListenOptions = {},
): Promise<Listening> {
  const server = await answering(answer, tls)
  server.maxConnections = connections
  limitUnproven(server, tls ? 'secureConnection' : 'connection', UNPROVEN)
  const { port } = await listening(server, address)
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return { url: `${tls ? 'https' : 'http'}://${host}:${port}`, close: () => closed(server) }
}

/** Sockets that only this user can reach. */
export interface PrivateSockets {
  listen(onSocket: (socket: Socket) => void): Promise<{ readonly path: string; close(): Promise<void> }>
}

/** As `listen`, on a Unix socket. */
export async function listenPrivately(answer: AnswerRequest, sockets: PrivateSockets): Promise<Listening> {
  const server = await answering(answer, null)
  const { path, close } = await sockets.listen(socket => server.emit('connection', socket))
  return {
    url: `unix:${path}`,
    close: async () => {
      await close()
      await closed(server)
    },
  }
}

async function answering(answer: AnswerRequest, tls: Tls | null): Promise<Server> {
  const { getRequestListener } = await import('@hono/node-server')
  const sized = (request: Request, { incoming }: { readonly incoming: Sized }) => {
    const problem = objectionToSize(incoming)
    return problem ? problemResponse(problem) : answer(request, incoming.socket?.remoteAddress)
  }
  return serverOf(getRequestListener(sized, { overrideGlobalObjects: false }), tls)
}

/** A request as Node reads it. The sizes of the largest ones are known before anything is done for them. */
interface Sized {
  readonly url?: string | undefined
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
  readonly socket?: { readonly remoteAddress?: string | undefined }
}

function objectionToSize({ url = '', rawHeaders }: Sized): Problem | null {
  if (rawHeaders.length > 2 * MOST_HEADERS) return TOO_MANY_HEADERS
  return url.length > LONGEST_URL ? TOO_LONG : null
}

const TOO_MANY_HEADERS: Problem = {
  status: 431,
  code: 'too_many_headers',
  detail: `A request has at most ${MOST_HEADERS} headers.`,
  headers: { connection: 'close' },
}

const TOO_LONG: Problem = {
  status: 414,
  code: 'url_too_long',
  detail: `The path and query of a request are at most ${LONGEST_URL} characters long.`,
  headers: { connection: 'close' },
}

type Listener = Parameters<typeof createServer>[1]

async function serverOf(listener: Listener, tls: Tls | null): Promise<Server> {
  if (tls === null) return createServer(LIMITS, listener)
  const https = await import('node:https')
  return https.createServer({ ...LIMITS, ...tls, handshakeTimeout: HANDSHAKE_MS }, listener)
}

/** True if no other machine reaches it. */
export function isLoopback({ host }: Address): boolean {
  return LOOPBACK.includes(host)
}

/** The names under which requests may address it. */
export function namesOf(address: Address): Pick<Gate, 'hosts' | 'anyAddress'> {
  if (isLoopback(address)) return { hosts: [], anyAddress: false }
  return { hosts: [address.host.toLowerCase(), hostname().toLowerCase()], anyAddress: true }
}

async function listening(server: Server, { host, port }: Address): Promise<AddressInfo> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return server.address() as AddressInfo
  } catch (cause) {
    throw new RefusedError('cannot_listen', `Nothing can listen on ${host}:${port}: ${messageOf(cause)}.`, {
      hint: 'Choose another port with --port, or any free one with --port 0.',
      cause,
    })
  }
}

async function closed(server: Server): Promise<void> {
  const over = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  await Promise.race([over, new Promise(resolve => setTimeout(resolve, FLUSH_MS).unref())])
  server.closeAllConnections()
}

import { once } from 'node:events'
import { createServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { hostname } from 'node:os'
import { messageOf } from '../../core/errors.ts'
import type { AnswerRequest, Sender } from '../../protocols/http/answer-requests.ts'
import type { Gate } from '../../protocols/http/gate.ts'
import { type Problem, problemResponse } from '../../protocols/http/problem.ts'
import type { Connection } from '../process/lineage/tcp-peer.ts'
import { serverRefusals } from '../refusals/server-refusals.ts'
import { PeerProofs, senderBehind } from './peer-proofs.ts'
import { senderOf } from './sender-of.ts'

/** The address of a server. */
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
  /**
   * Connections of all clients; each takes one for every answer and stream that it waits for. The last 64 are only
   * asked to retry. Default: 512.
   */
  readonly connections?: number
}

const CONNECTIONS = 512
/** Connections, among those, that are answered only with the refusal that there are too many. */
const TURNED_AWAY = 64
const MOST_HEADERS = 64
/** Characters of path and query. */
const LONGEST_URL = 8_192
/** Connections, among those, that have sent no request yet. */
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
  let open = 0
  const unlessFull: AnswerRequest = async (request, sender) =>
    open > connections - TURNED_AWAY ? problemResponse(FULL) : answer(request, sender)
  const server = await answering(unlessFull, tls, (_, socket) => senderOf(socket))
  server.maxConnections = connections
  server.on('connection', (socket: Socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
  })
  limitUnproven(server, tls ? 'secureConnection' : 'connection', UNPROVEN)
  const { port } = await listening(server, address)
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return { url: `${tls ? 'https' : 'http'}://${host}:${port}`, close: () => closed(server) }
}

/** Sockets that only this user can reach. */
export interface PrivateSockets {
  listen(onSocket: (socket: Socket) => void): Promise<{ readonly path: string; close(): Promise<void> }>
}

/** Does what `listen` does, on a Unix socket. */
export async function listenPrivately(answer: AnswerRequest, sockets: PrivateSockets): Promise<Listening> {
  const proofs = await PeerProofs.open()
  const server = await answering(answer, null, request => senderBehind(proofs, request))
  const { path, close } = await sockets.listen(socket => server.emit('connection', socket))
  return {
    url: `unix:${path}`,
    close: async () => {
      proofs.close()
      await close()
      await closed(server)
    },
  }
}

type FindSender = (request: Request, socket: Connection | undefined) => Sender

async function answering(answer: AnswerRequest, tls: Tls | null, senderOf: FindSender): Promise<Server> {
  const { getRequestListener } = await import('@hono/node-server')
  const sized = (request: Request, { incoming }: { readonly incoming: Sized }) => {
    const problem = objectionToSize(incoming)
    return problem ? problemResponse(problem) : answer(request, senderOf(request, incoming.socket))
  }
  return serverOf(getRequestListener(sized, { overrideGlobalObjects: false }), tls)
}

/** A request as Node reads it. The sizes of the largest ones are known before anything is done for them. */
interface Sized {
  readonly socket?: Connection
  readonly url?: string | undefined
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
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

const FULL: Problem = {
  status: 503,
  code: 'server_busy',
  detail: 'This server has as many connections as it can take.',
  hint: 'Come again in a few seconds, or ask another server on the same store.',
  headers: { 'retry-after': '5', connection: 'close' },
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
    throw serverRefusals.cannotListen(host, port, messageOf(cause), cause)
  }
}

async function closed(server: Server): Promise<void> {
  const over = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  await Promise.race([over, new Promise(resolve => setTimeout(resolve, FLUSH_MS).unref())])
  server.closeAllConnections()
}

/**
 * Connections that have not sent the head of a request yet. If there are more than `most`, the oldest are closed: clients
 * that dribble their requests take no place from others.
 */
function limitUnproven(server: Server, event: 'connection' | 'secureConnection', most: number): void {
  const unproven = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    unproven.add(socket)
    socket.once('close', () => unproven.delete(socket))
    const [oldest] = unproven
    if (unproven.size > most) oldest?.destroy()
  })
  server.on('request', ({ socket }) => unproven.delete(socket))
}

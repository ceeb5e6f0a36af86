/** `fetch` over a Unix socket. Node alone has such sockets, and its own `fetch` does not reach them. */
import { RefusedError } from '../../core/errors.ts'
import { PEER_HEADER, PEER_PORT_HEADER, provePeer } from './prove-peer.ts'

const PREFIX = 'unix:'
/** The host in requests to sockets: every request names one. */
export const UNIX_HOST = 'http://localhost'

/** The platform's own, or one that reaches the socket that the address names. @throws RefusedError `unsafe_address` */
export function fetchFor(url: string): typeof fetch {
  const socket = socketIn(url)
  return socket === null ? (input, init) => fetch(input, init) : fetchOverSocket(socket)
}

/** The path of the socket that a server's address names; `null` for an address of the network. */
export function socketIn(url: string): string | null {
  return url.startsWith(PREFIX) ? url.slice(PREFIX.length) : null
}

/** A server that must know which process asks refuses the request, and gets it again with the proof. */
function fetchOverSocket(socketPath: string): typeof fetch {
  const send = sendingOver(socketPath)
  const secret = newSecret()
  let proven: string | null = null
  return async (input, init = {}) => {
    const request = new Request(input, init)
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer())
    const answer = await send(request, body, proven === null ? {} : { [PEER_HEADER]: secret })
    const port = answer.headers.get(PEER_PORT_HEADER)
    if (port === null || port === proven) return answer
    await provePeer(Number(port), secret)
    proven = port
    await answer.body?.cancel()
    return send(request, body, { [PEER_HEADER]: secret })
  }
}

function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
}

type Send = (request: Request, body: Buffer | null, more: Readonly<Record<string, string>>) => Promise<Response>

function sendingOver(socketPath: string): Send {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  const stream = globalThis.process?.getBuiltinModule?.('node:stream')
  if (!http || !stream || socketPath === '') throw noSockets(socketPath)
  return async (request, body, more) => {
    const { pathname, search } = new URL(request.url)
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const headers = { ...Object.fromEntries(request.headers), ...more }
    const sent = http.request(
      // A connection of its own: the process ends when the answer is read.
      { socketPath, path: pathname + search, method: request.method, headers, agent: false, signal: request.signal },
      answer => {
        const { statusCode = 500, statusMessage = '', rawHeaders } = answer
        const isEmpty = EMPTY.includes(statusCode) || request.method === 'HEAD'
        if (isEmpty) answer.resume()
        // The streams of Node and of the platform are the same thing under two types.
        const content = isEmpty ? null : (stream.Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>)
        resolve(new Response(content, { status: statusCode, statusText: statusMessage, headers: pairsOf(rawHeaders) }))
      },
    )
    sent.once('error', cause => reject(request.signal.aborted ? request.signal.reason : failed(cause)))
    sent.end(body)
    return promise
  }
}

/** Statuses whose answers have no body. */
const EMPTY: readonly number[] = [204, 205, 304]

function pairsOf(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []) as [string, string][])
}

/** The error that the platform's `fetch` throws. */
function failed(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause })
}

function noSockets(path: string): RefusedError {
  return new RefusedError('unsafe_address', `unix:${path} is not the address of a server that is reached from here.`, {
    hint: 'Name the path of a socket behind `unix:`, in a program that Node runs. Nothing was sent.',
  })
}

/** `fetch` over a Unix socket. Node alone has such sockets, and its own `fetch` does not reach them. */
import { RefusedError } from '../../core/errors.ts'

const PREFIX = 'unix:'
/** Of servers on sockets: every request names some host. */
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

function fetchOverSocket(socketPath: string): typeof fetch {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  const stream = globalThis.process?.getBuiltinModule?.('node:stream')
  if (!http || !stream || socketPath === '') throw noSockets(socketPath)
  return async (input, init = {}) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer())
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const headers = Object.fromEntries(request.headers)
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

/** As the `fetch` of the platform fails. */
function failed(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause })
}

function noSockets(path: string): RefusedError {
  return new RefusedError('unsafe_address', `unix:${path} is not the address of a server that is reached from here.`, {
    hint: 'Name the path of a socket behind `unix:`, in a program that Node runs. Nothing was sent.',
  })
}

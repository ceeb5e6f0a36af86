import { chmod, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Patience } from './join-sockets.ts'
import { httpProxy } from './serve-http.ts'
import { serveSocks4, serveSocks5 } from './serve-socks.ts'
import { takeBytes } from './take-bytes.ts'
import { type HostAndPort, type RefusedHost, WayOut, type WayOutOptions } from './way-out.ts'

export interface ProxyOptions extends WayOutOptions {
  /** A directory of its own with mode 0700, for the socket. */
  readonly directory: string
  /** More are closed at once; 256 if it is left out. */
  readonly maxConnections?: number | undefined
  /** How long a connection may be silent; ten minutes if it is left out. */
  readonly idleMs?: number | undefined
}

/** The one door of a box to the network. */
export interface NetworkProxy extends AsyncDisposable {
  readonly socketPath: string
  /** What was asked for and refused: each once, in order, at most 100. */
  readonly refused: readonly RefusedHost[]
  /** What was connected to: each once, in order, at most 100. */
  readonly reached: readonly HostAndPort[]
  /** Ends every connection. */
  close(): Promise<void>
}

/** `sun_path` of Linux without its zero; macOS has four bytes less. */
const LONGEST_PATH = 103
/** A client of a proxy speaks first, and at once. */
const GREETING_MS = 30_000
const IDLE_MS = 600_000
const HALF_OPEN_MS = 60_000

/**
 * Opens a proxy on a unix socket that only this user may use. It takes HTTP, CONNECT, SOCKS5 and SOCKS4a, and refuses at
 * once what may not be reached. @throws Error if the directory is open to others, or its path is too long
 */
export async function openProxy(options: ProxyOptions): Promise<NetworkProxy> {
  const socketPath = join(options.directory, 'network')
  await checkDirectory(options.directory, socketPath)
  const way = new WayOut(options)
  const sockets = new Set<Socket>()
  const server = proxyServer(way, { idleMs: options.idleMs ?? IDLE_MS, halfOpenMs: HALF_OPEN_MS }, sockets)
  server.maxConnections = options.maxConnections ?? 256
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, resolve)
  })
  await chmod(socketPath, 0o600)
  const close = () => {
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    return closed
  }
  return { socketPath, refused: way.refused, reached: way.reached, close, [Symbol.asyncDispose]: close }
}

async function checkDirectory(directory: string, socketPath: string): Promise<void> {
  const { mode } = await stat(directory)
  if ((mode & 0o077) !== 0) throw new Error(`the directory ${directory} of the proxy is open to others`)
  if (Buffer.byteLength(socketPath) > LONGEST_PATH) throw new Error(`the path ${socketPath} is too long for a socket`)
}

function proxyServer(way: WayOut, patience: Patience, sockets: Set<Socket>): Server {
  const http = httpProxy(way, patience)
  return createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const close = () => socket.destroy()
    socket.setTimeout(GREETING_MS, close)
    const begun = () => socket.setTimeout(0).off('timeout', close)
    serve(socket, begun).catch(close)
  })

  async function serve(socket: Socket, begun: () => void): Promise<void> {
    const first = await takeBytes(socket, 1)
    const [version] = first
    if (version === 5) await serveSocks5(socket, way, patience)
    else if (version === 4) await serveSocks4(socket, way, patience)
    else {
      socket.unshift(first)
      begun()
      http.emit('connection', socket)
    }
  }
}

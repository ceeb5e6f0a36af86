/**
 * The socket of a process that follows: processes that advance runs connect to it, and learn which threads it follows.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Ephemeral } from '../ports/event-sink.ts'
import { readEphemeral } from '../ports/read-ephemeral.ts'
import { type Frame, readFrames, writeFrame } from './lines.ts'
import { isProof, nonce, proofOf } from './link.ts'
import type { RuntimeDirectory } from './runtime-directory.ts'
import { privately } from './runtime-directory.ts'

const HELLO_MS = 2_000
const MOST_CONNECTIONS = 256

export interface ListenerDeps {
  /** The name of the socket. */
  readonly name: string
  readonly directory: RuntimeDirectory
  readonly secret: string
  /** The threads that are followed now. */
  threads(): Iterable<string>
  deliver(event: Ephemeral): void
}

export class Listener {
  readonly #deps: ListenerDeps
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** The connections whose process has proven that it can read the store. */
  readonly #ready = new Set<Socket>()
  readonly #path: string

  private constructor(deps: ListenerDeps, path: string) {
    this.#deps = deps
    this.#path = path
    this.#server = createServer(socket => this.#meet(socket)).unref()
    this.#server.maxConnections = MOST_CONNECTIONS
  }

  /** @throws RuntimeDirectoryError, or the system's error */
  static async open(deps: ListenerDeps): Promise<Listener> {
    // The directory may be removed by a follower that left just now.
    return Listener.#openOnce(deps).catch(() => Listener.#openOnce(deps))
  }

  static async #openOnce(deps: ListenerDeps): Promise<Listener> {
    const listener = new Listener(deps, await deps.directory.make())
    await listener.#listen()
    return listener
  }

  async #listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#server.once('error', reject).once('listening', resolve)
    privately(() => this.#server.listen(join(this.#path, this.#deps.name)))
    await promise
    this.#server.on('error', () => {})
  }

  /** A thread is followed from now on, or no longer. */
  tell(change: { readonly follow: string } | { readonly leave: string }): void {
    for (const socket of this.#ready) writeFrame(socket, change)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise(resolve => this.#server.close(resolve))
    await this.#deps.directory.remove(this.#path)
  }

  #meet(socket: Socket): void {
    this.#sockets.add(socket)
    const own = nonce()
    const late = setTimeout(() => socket.destroy(), HELLO_MS).unref()
    socket.unref().on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      this.#sockets.delete(socket)
      this.#ready.delete(socket)
    })
    readFrames(socket, frame => {
      if (this.#ready.has(socket)) return this.#take(frame)
      if (!isProof(frame['proof'], this.#deps.secret, 'publisher', own)) return void socket.destroy()
      clearTimeout(late)
      this.#ready.add(socket)
      const proof = proofOf(this.#deps.secret, 'follower', String(frame['nonce']))
      writeFrame(socket, { proof, follow: [...this.#deps.threads()] })
    })
    writeFrame(socket, { nonce: own })
  }

  #take(frame: Frame): void {
    const event = readEphemeral(frame['event'])
    if (event) this.#deps.deliver(event)
  }
}

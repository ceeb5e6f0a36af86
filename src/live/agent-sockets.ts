/** The sockets of the processes of agents, in a directory that only this user can have made. */
import { hash, randomBytes } from 'node:crypto'
import { lstat, realpath, unlink } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { privately, RuntimeDirectory } from './runtime-directory.ts'

const MOST_CONNECTIONS = 256
/** A younger socket may belong to a process that does not listen yet. */
const STALE_MS = 10_000

/** The file of a store, absolute; or the name of one that is no file, on this host. */
type NamedStore = { readonly file: string } | { readonly name: string }

export type AgentSocketsOptions = NamedStore & {
  /** Default: a directory of this user in the temporary one. */
  readonly runtimeDirectory: string | undefined
  readonly uid: number
}

export interface ListeningSocket {
  /** Absolute. */
  readonly path: string
  /** Takes no more connections, and removes the socket. Those that are open stay. */
  close(): Promise<void>
}

export class AgentSockets {
  readonly #options: AgentSocketsOptions

  constructor(options: AgentSocketsOptions) {
    this.#options = options
  }

  /** Makes their directory, in which `listen` opens one. @throws RuntimeDirectoryError */
  async makeDirectory(): Promise<void> {
    await (await this.#directory()).make()
  }

  /** @throws RuntimeDirectoryError, or the system's error */
  async listen(onSocket: (socket: Socket) => void): Promise<ListeningSocket> {
    const directory = await this.#directory()
    const place = await directory.make()
    const path = join(place, randomBytes(4).toString('hex'))
    const server = createServer(onSocket)
    server.maxConnections = MOST_CONNECTIONS
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('error', reject).once('listening', resolve)
    privately(() => server.listen(path))
    await promise
    server.on('error', () => {}).unref()
    const close = async () => {
      server.close()
      await directory.remove(place)
    }
    return { path, close }
  }

  /** Removes sockets that killed processes left, except those at these paths. @throws RuntimeDirectoryError */
  async sweep(kept: ReadonlySet<string>): Promise<void> {
    const found = await (await this.#directory()).sockets()
    for (const name of found?.names ?? []) {
      const path = join(found?.path ?? '', name)
      if (!kept.has(path)) await removeStale(path)
    }
  }

  async #directory(): Promise<RuntimeDirectory> {
    const options = this.#options
    const name = 'file' in options ? await realpath(options.file) : options.name
    const store = hash('sha256', name, 'hex').slice(0, 16)
    return new RuntimeDirectory({ ...this.#options, store, sockets: 'agents' })
  }
}

async function removeStale(path: string): Promise<void> {
  try {
    const found = await lstat(path)
    const isOld = Date.now() - found.mtimeMs > STALE_MS
    if (found.isSocket() && isOld && (await refuses(path))) await unlink(path)
  } catch {
    // Another process was first.
  }
}

/** True if no process listens: one that does, however slow it is, has its connections queued by the system. */
async function refuses(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(path)
  socket.once('connect', () => resolve(false))
  socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
  const answer = await promise
  socket.destroy()
  return answer
}

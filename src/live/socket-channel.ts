/**
 * The channel of one store, over Unix sockets.
 * L1  A process that follows listens; one that advances runs connects to each socket it finds, and learns which threads
 *     are followed. It looks into the directory while there is something to publish, at most every 250 ms.
 * L2  Without followers nothing is made, serialized or sent: a look that finds no directory is all.
 * L3  A failure here harms no run. A follower is warned once if it cannot listen.
 */
import { hash, randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { monotonicMs } from '../async/monotonic.ts'
import type { Ephemeral } from '../ports/event-sink.ts'
import type { LiveChannel } from '../ports/live-channel.ts'
import { lineOf } from './lines.ts'
import type { Link } from './link.ts'
import type { Listener } from './listener.ts'
import { mayHaveSockets, RuntimeDirectory } from './runtime-directory.ts'

/** The shortest time from one look into the directory to the next. */
const REST_MS = 250
/** Pieces kept while a look is under way. */
const MOST_EARLY = 1_000

export interface SocketChannelOptions {
  /** The file of the store, absolute. */
  readonly file: string
  /** A secret that only processes with access to the store know. */
  secret(): Promise<string>
  /** Default: a directory of this user in the temporary one. */
  readonly runtimeDirectory: string | undefined
  readonly uid: number
  warn(problem: Error): void
}

type Deliver = (event: Ephemeral) => void

export class SocketChannel implements LiveChannel {
  readonly #options: SocketChannelOptions
  readonly #links = new Map<string, Link>()
  readonly #followed = new Map<string, Set<Deliver>>()
  #directory: Promise<RuntimeDirectory> | null = null
  #secret: Promise<string> | null = null
  #listener: Promise<Listener | null> | null = null
  readonly #ownName = randomBytes(4).toString('hex')
  #early: Ephemeral[] | null = null
  #lookedAt = Number.NEGATIVE_INFINITY
  #isWarned = false
  #isClosed = false

  constructor(options: SocketChannelOptions) {
    this.#options = options
  }

  publish(event: Ephemeral): void {
    this.expect()
    if (this.#early && this.#early.length < MOST_EARLY) this.#early.push(event)
    let made: string | null = null
    const line = (): string => {
      made ??= lineOf(event)
      return made
    }
    for (const link of this.#links.values()) link.send(event, line)
  }

  expect(): void {
    if (this.#isClosed || this.#early || monotonicMs() - this.#lookedAt < REST_MS) return
    this.#lookedAt = monotonicMs()
    if (!mayHaveSockets(this.#options)) return
    this.#early = []
    // Followers learn of a fault of the directory; a run continues without it.
    void this.#look()
      .catch(() => {})
      .finally(() => {
        this.#early = null
        this.#lookedAt = monotonicMs()
      })
  }

  async #look(): Promise<void> {
    const found = await (await this.#open()).sockets()
    const names = (found?.names ?? []).filter(name => name !== this.#ownName && !this.#links.has(name))
    if (!found || names.length === 0) return
    const secret = await this.#proven()
    const { Link } = await import('./link.ts')
    for (const name of this.#isClosed ? [] : names) {
      const link = new Link(join(found.path, name), secret, () => this.#links.delete(name))
      for (const event of this.#early ?? []) link.send(event, () => lineOf(event))
      this.#links.set(name, link)
    }
  }

  follow(threadId: string, onEvent: Deliver): Disposable {
    const listeners = this.#followed.get(threadId) ?? new Set()
    const isNew = listeners.size === 0
    this.#followed.set(threadId, listeners.add(onEvent))
    this.#listener ??= this.#listen()
    if (isNew) this.#tell({ follow: threadId })
    return {
      [Symbol.dispose]: () => {
        if (!listeners.delete(onEvent) || listeners.size > 0) return
        this.#followed.delete(threadId)
        this.#tell({ leave: threadId })
      },
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const link of this.#links.values()) link.close()
    await (await this.#listener)?.close()
  }

  #tell(change: Parameters<Listener['tell']>[0]): void {
    void this.#listener?.then(listener => listener?.tell(change))
  }

  async #listen(): Promise<Listener | null> {
    try {
      const { Listener } = await import('./listener.ts')
      return await Listener.open({
        name: this.#ownName,
        directory: await this.#open(),
        secret: await this.#proven(),
        threads: () => this.#followed.keys(),
        deliver: event => this.#deliver(event),
      })
    } catch (thrown) {
      if (!this.#isWarned && !this.#isClosed) this.#options.warn(thrown as Error)
      this.#isWarned = true
      return null
    }
  }

  #deliver(event: Ephemeral): void {
    for (const deliver of this.#followed.get(event.thread_id) ?? []) deliver(event)
  }

  #open(): Promise<RuntimeDirectory> {
    this.#directory ??= realpath(this.#options.file).then(file => {
      const store = hash('sha256', file, 'hex').slice(0, 16)
      return new RuntimeDirectory({ ...this.#options, store, sockets: 'live' })
    })
    return this.#directory
  }

  #proven(): Promise<string> {
    this.#secret ??= this.#options.secret()
    return this.#secret
  }
}

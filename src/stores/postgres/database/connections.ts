import type { Writable } from 'node:stream'
import type { Pool, PoolClient } from 'pg'
import { storeFailures } from '../../store-refusals.ts'
import { clientOf, type loadPg } from '../driver/load-pg.ts'
import { servesOn } from './lost-connections.ts'

const MOST_CONNECTIONS = 8

/** No statement, no lock and no forgotten transaction holds up others for long. Poolers refuse these as parameters of a connection. */
const SET_LIMITS = `SET statement_timeout = '10s'; SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '10s'`

type Driver = Awaited<ReturnType<typeof loadPg>>
type Options = ConstructorParameters<Driver['Pool']>[0]

/** The connections of a store. They keep no process alive. */
export class Connections implements AsyncDisposable {
  readonly #pool: Pool
  /** The URL of the store without its password. */
  readonly #display: string
  readonly #waiting = new Set<Promise<PoolClient>>()
  #isClosed = false

  constructor(pg: Driver, options: Options, display: string) {
    this.#display = display
    this.#pool = new pg.Pool({
      ...options,
      Client: clientOf(pg),
      max: MOST_CONNECTIONS,
      allowExitOnIdle: true,
      onConnect: async client => void (await client.query(SET_LIMITS)),
    })
    // A connection that breaks while it is idle: the next statement gets another one.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', client => client.on('error', () => {}))
  }

  /** True if the next statement would not wait for the end of another one. */
  get hasFree(): boolean {
    const { idleCount, totalCount, waitingCount } = this.#pool
    return waitingCount === 0 && (idleCount > 0 || totalCount < MOST_CONNECTIONS)
  }

  /** @throws StoreError `store_closed` */
  refuseIfClosed(): void {
    if (!this.#isClosed) return
    throw storeFailures.closed(this.#display)
  }

  /** `work` has the connection for itself. @throws StoreError `store_closed` */
  async with<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connection()
    let isBroken = false
    try {
      return await work(client)
    } catch (thrown) {
      isBroken = !servesOn(thrown)
      throw thrown
    } finally {
      client.release(isBroken)
    }
  }

  async #connection(): Promise<PoolClient> {
    this.refuseIfClosed()
    const connecting = this.#pool.connect()
    this.#waiting.add(connecting)
    try {
      return await connecting
    } finally {
      this.#waiting.delete(connecting)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    // pg never answers who waits for a connection when it ends.
    await Promise.allSettled(this.#waiting)
    await this.#pool.end()
  }
}

/** Statements asked for until the end of this turn of the event loop go out in one write, a commit too. */
export function writeAtOnce(client: PoolClient): void {
  // The types of pg leave it out.
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

/**
 * Hears of what other processes write, and of other objects on the same store.
 * O1  From the call on, nothing is missed for good: the first look counts as a change, so does each new connection, and a look
 *     finds what was committed without a notice, as by a process that was killed.
 * O2  A connection that can hear no notices, as through a pooler that shares connections, is replaced by frequent looks, and a
 *     warning says so once. They go on until a connection hears notices again, as after a failover.
 * O3  It keeps no process alive and never throws: a failure counts as a change, so that the reader meets it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isReadOnly } from '../database/database-errors.ts'
import type { Pool } from '../database/pool.ts'
import type { Session } from '../database/session.ts'
import type { SideChannels } from './side-channels.ts'

/** Between looks, if notices are heard and if they are not. */
const RARE_MS = 2_000
const FREQUENT_MS = 250
/** A notice to oneself takes milliseconds. */
const HEARD_MS = 3_000
/** Between tries to hear notices again, while frequent looks replace them. */
const RETRY_MS = 45_000
const BACKOFF_MS = [100, 500, 2_000, 5_000] as const

/** Follows the sender in a notice that only tests whether its sender hears it. */
const LISTENS = ' listens'

/** The answer changes with each transaction that writes. */
const STATE = 'SELECT pg_current_snapshot()::text AS state'

interface Hearing {
  /** The sender of our own notices, which are no news here. */
  readonly sender: string
  readonly sides: SideChannels
  /** Tests wait for less. */
  readonly retryMs?: number
}

export class OutsideListener implements Disposable {
  readonly #pool: Pool
  readonly #sender: string
  readonly #onChange: () => void
  readonly #sides: SideChannels
  readonly #retryMs: number
  readonly #ended = new AbortController()
  #frequentLooks: AbortController | null = null
  #session: Session | null = null
  #seen: unknown = null

  constructor(pool: Pool, { sender, sides, retryMs = RETRY_MS }: Hearing, onChange: () => void) {
    this.#pool = pool
    this.#sender = sender
    this.#sides = sides
    this.#retryMs = retryMs
    this.#onChange = onChange
    void this.#keepListening()
  }

  async #keepListening(): Promise<void> {
    for (let failures = 0; !this.#ended.signal.aborted; failures += 1) {
      let isHeard = true
      try {
        isHeard = await this.#listen()
        failures = 0
      } catch {
        // Reported below: readers meet it.
      }
      this.#closeSession()
      this.#tell()
      if (!isHeard) void this.#lookOften()
      await this.#pause(isHeard ? (BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0) : this.#retryMs)
    }
  }

  /** Resolves when the connection is lost; to false at once if it hears nothing. */
  async #listen(): Promise<boolean> {
    const session = await this.#pool.session()
    this.#session = session
    if (this.#ended.signal.aborted) return true
    const lost = Promise.withResolvers<'lost'>()
    const heard = Promise.withResolvers<'heard'>()
    const test = this.#sender + LISTENS
    session.onLost(() => lost.resolve('lost'))
    session.onNotice((payload, channel) => {
      if (channel !== this.#pool.schema) this.#sides.hear(channel, payload)
      else if (payload === test) heard.resolve('heard')
      else if (payload !== this.#sender && !payload.endsWith(LISTENS)) this.#tell()
    })
    if (!(await this.#mayListen(session))) return false
    await this.#pool.query('SELECT pg_notify($1, $2)', [this.#pool.schema, test])
    const silent = this.#pause(HEARD_MS).then(() => 'silent' as const)
    const found = await Promise.race([heard.promise, lost.promise, silent])
    // Another listener may have begun on the same side channels by now.
    if (found === 'lost' || this.#ended.signal.aborted) return true
    if (found === 'silent') return false
    this.#frequentLooks?.abort()
    this.#frequentLooks = null
    this.#tell()
    await this.#sides.begin(session)
    await this.#lookRarely(session, lost.promise)
    return true
  }

  /** A replica refuses. */
  async #mayListen(session: Session): Promise<boolean> {
    try {
      await session.query(`LISTEN "${this.#pool.schema}"`)
      return true
    } catch (thrown) {
      if (isReadOnly(thrown)) return false
      throw thrown
    }
  }

  async #lookRarely(session: Session, lost: Promise<unknown>): Promise<void> {
    let isLost = false
    void lost.then(() => {
      isLost = true
    })
    while (!isLost && !this.#ended.signal.aborted) {
      await Promise.race([this.#pause(RARE_MS), lost])
      if (!isLost) this.#compare((await session.query(STATE))[0])
    }
  }

  /** Until notices are heard, or it is disposed of. */
  async #lookOften(): Promise<void> {
    if (this.#frequentLooks || this.#ended.signal.aborted) return
    const looks = new AbortController()
    this.#frequentLooks = looks
    process.emitWarning(
      `The store ${this.#pool.display} tells of no changes here, as a replica does, or a pooler that shares connections. Holdpoint looks every ${FREQUENT_MS} ms instead, and shows text of other processes only once it is stored, and tries again from time to time. For quick answers connect to the database itself, or to the pooler in session mode.`,
      { code: 'store_polled' },
    )
    while (!looks.signal.aborted && !this.#ended.signal.aborted) {
      const look = this.#pool.query(STATE).then(({ rows }) => rows[0])
      await look.then(row => this.#compare(row)).catch(() => this.#tell())
      await this.#pause(FREQUENT_MS)
    }
  }

  #compare(row: Readonly<Record<string, unknown>> | undefined): void {
    const before = this.#seen
    this.#seen = row?.['state']
    if (this.#seen !== before) this.#tell()
  }

  #tell(): void {
    if (!this.#ended.signal.aborted) this.#onChange()
  }

  /** Ends early when it is disposed of. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, null, { ref: false, signal: this.#ended.signal }).catch(() => {})
  }

  #closeSession(): void {
    if (this.#session) this.#sides.end(this.#session)
    this.#session?.[Symbol.dispose]()
    this.#session = null
  }

  [Symbol.dispose](): void {
    this.#ended.abort()
    this.#closeSession()
  }
}

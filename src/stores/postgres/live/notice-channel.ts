/**
 * The channel of one store between hosts, over notices of the database.
 * L1  A process that follows keeps a row for each thread. One that advances runs looks at these rows while there is something
 *     to tell, at most every 2 s, and at its next piece after a follower came.
 * L2  Without followers nothing is serialized or sent: the look is all.
 * L3  A failure here harms no run, and nothing waits for it. A piece that is lost stays lost, and none comes twice.
 */
import { randomBytes } from 'node:crypto'
import { monotonicMs } from '../../../async/monotonic.ts'
import type { HostName } from '../../../core/fleet/fleet-host.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type { LiveChannel } from '../../../ports/live-channel.ts'
import { readEphemeral } from '../../../ports/read-ephemeral.ts'
import type { Changes } from '../changes/changes.ts'
import type { Pool } from '../database/pool.ts'
import { ChannelNames } from './channel-names.ts'
import { FollowerRows } from './follower-rows.ts'
import { followedByOthers } from './follower-table.ts'
import { NoticeJoiner, noticesOf } from './notice-texts.ts'
import { Outbox, type Parcels } from './outbox.ts'

/** The shortest time from one look at the followers to the next. */
const REST_MS = 2_000
/** Pieces kept while a look is under way. */
const MOST_EARLY = 1_000

/** The statement does not begin with SELECT, so it is not sent again if its answer is lost: no piece may arrive twice. */
const NOTIFY = `WITH notices AS (SELECT * FROM unnest($1::text[], $2::text[]) AS n (channel, payload))
  SELECT pg_notify(channel, payload) FROM notices`

interface LiveDeps {
  readonly pool: Pool
  readonly changes: Changes
  /** The machine of this process. */
  readonly host: HostName
}

type Deliver = (event: Ephemeral) => void

export class NoticeChannel implements LiveChannel {
  readonly #site: LiveDeps
  readonly #own = randomBytes(8).toString('hex')
  readonly #followed = new Map<string, Set<Deliver>>()
  readonly #listening = new Map<string, Disposable>()
  readonly #rows: FollowerRows
  readonly #outbox = new Outbox(parcels => this.#notify(parcels))
  readonly #heard: Disposable
  #names: Promise<ChannelNames> | null = null
  #calls: Disposable | null = null
  #watch: Disposable | null = null
  #followedElsewhere: ReadonlySet<string> = new Set()
  #early: Ephemeral[] | null = null
  #lookedAt = Number.NEGATIVE_INFINITY
  #messages = 0
  #isClosed = false

  constructor(site: LiveDeps) {
    const { query } = site.pool
    const { sides } = site.changes
    this.#site = site
    this.#rows = new FollowerRows({
      query,
      follower: this.#own,
      isHeard: () => sides.isHeard,
      announce: async () => void (await query('SELECT pg_notify($1, $2)', [(await this.#open()).followers, this.#own])),
    })
    this.#heard = sides.onHeard(() => this.#rows.bringUpToDate())
  }

  publish(event: Ephemeral): void {
    this.#lookIfDue()
    if (this.#followedElsewhere.has(event.thread_id)) this.#send(event)
    else if (this.#early && this.#early.length < MOST_EARLY) this.#early.push(event)
  }

  expect(): void {
    this.#outbox.flush()
    this.#lookIfDue()
  }

  follow(threadId: string, onEvent: Deliver): Disposable {
    const listeners = this.#followed.get(threadId) ?? new Set()
    this.#followed.set(threadId, listeners.add(onEvent))
    // The connection that hears is there while changes are watched.
    this.#watch ??= this.#site.changes.watch(() => {})
    if (listeners.size === 1) void this.#listen(threadId, listeners).catch(() => {})
    return {
      [Symbol.dispose]: () => {
        if (listeners.delete(onEvent) && listeners.size === 0) this.#leave(threadId)
      },
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const threadId of [...this.#followed.keys()]) this.#leave(threadId)
    this.#heard[Symbol.dispose]()
    this.#calls?.[Symbol.dispose]()
    await Promise.all([this.#rows.close(), this.#outbox.close()])
  }

  #lookIfDue(): void {
    if (this.#isClosed || this.#early || monotonicMs() - this.#lookedAt < REST_MS) return
    this.#lookedAt = monotonicMs()
    this.#early = []
    // A run needs no followers.
    void this.#look()
      .catch(() => {})
      .finally(() => {
        this.#early = null
      })
  }

  async #look(): Promise<void> {
    const { pool, changes } = this.#site
    const names = await this.#open()
    if (this.#isClosed) return
    this.#calls ??= changes.sides.listen(names.followers, () => {
      this.#lookedAt = Number.NEGATIVE_INFINITY
    })
    this.#followedElsewhere = await followedByOthers(pool.query, this.#own)
    for (const event of this.#early ?? []) if (this.#followedElsewhere.has(event.thread_id)) this.#send(event)
  }

  /** Followers drop pieces after the answer that contains them, so the end of a text is sent at once. */
  #send(event: Ephemeral): void {
    this.#outbox.put(event)
    if (event.kind.endsWith('.end')) this.#outbox.flush()
  }

  /** Several notices of one transaction arrive in their order. */
  async #notify(parcels: Parcels): Promise<void> {
    const names = await this.#open()
    const notices = [...parcels].flatMap(([threadId, text]) => {
      this.#messages += 1
      const origin = { sender: this.#own, message: this.#messages }
      return noticesOf(origin, text).map(payload => ({ channel: names.ofThread(threadId), payload }))
    })
    const channels = notices.map(({ channel }) => channel)
    await this.#site.pool.query(NOTIFY, [channels, notices.map(({ payload }) => payload)])
  }

  async #listen(threadId: string, listeners: ReadonlySet<Deliver>): Promise<void> {
    const names = await this.#open()
    if (this.#followed.get(threadId) !== listeners) return
    const joiner = new NoticeJoiner()
    const listening = this.#site.changes.sides.listen(names.ofThread(threadId), notice => {
      const arrived = joiner.take(notice)
      const pieces = arrived && arrived.sender !== this.#own ? piecesIn(arrived.text, threadId) : []
      for (const piece of pieces) for (const deliver of listeners) deliver(piece)
    })
    this.#listening.set(threadId, listening)
    this.#rows.add(threadId)
  }

  #leave(threadId: string): void {
    this.#followed.delete(threadId)
    this.#listening.get(threadId)?.[Symbol.dispose]()
    this.#listening.delete(threadId)
    this.#rows.remove(threadId)
    if (this.#followed.size > 0) return
    this.#watch?.[Symbol.dispose]()
    this.#watch = null
  }

  #open(): Promise<ChannelNames> {
    this.#names ??= ChannelNames.read(this.#site.pool).catch(thrown => {
      this.#names = null
      throw thrown
    })
    return this.#names
  }
}

function piecesIn(text: string, threadId: string): readonly Ephemeral[] {
  try {
    const values: unknown = JSON.parse(text)
    const ofThread = (piece: Ephemeral) => piece.thread_id === threadId
    return Array.isArray(values)
      ? values
          .map(readEphemeral)
          .filter(piece => piece !== null)
          .filter(ofThread)
      : []
  } catch {
    // Another version may send other texts.
    return []
  }
}

/**
 * Fires the due events on the holds of a store, for one process.
 * F1  A hold that cannot be fired, because its row is damaged or its journal is full, blocks no other. It is retried
 *     with a growing wait, and reported once.
 * F2  A due hold that cannot be fired yet is looked at again soon.
 */
import { SteadyBackoff } from '../../async/steady-backoff.ts'
import type { DueEvent } from '../../core/deadlines/next-due.ts'
import { messageOf } from '../../core/errors.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { isOfStore } from '../../core/store-write.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { WatchfulRuntime } from '../lease/lease-watch.ts'
import { type Fired, fireEach } from './expire-holds.ts'

/** How many holds one transaction is about. */
const PAGE = 200
/** F2. In milliseconds. */
const AGAIN_MS = 1_000

/** A hold that was due and could not be fired. */
export interface Unfired {
  readonly hold: Hold
  readonly error: unknown
  /** ISO time. */
  readonly retry_at: string
}

export interface DueNow {
  /** In order. */
  readonly happened: readonly DueEvent[]
  /** The failures that were not reported before. */
  readonly unfired: readonly Unfired[]
}

/** That of a face: its verbs and its workers share what could not be fired. */
export interface DueRuntime extends WatchfulRuntime {
  readonly due: DueHolds
}

export class DueHolds {
  readonly #runtime: WatchfulRuntime
  readonly #backoff: SteadyBackoff

  constructor(runtime: WatchfulRuntime) {
    this.#runtime = runtime
    this.#backoff = new SteadyBackoff(runtime.clock)
  }

  /** Fires what is due in the whole store. @throws the store's own error, if nothing could be fired for want of the store */
  async fire(): Promise<DueNow> {
    const happened: DueEvent[] = []
    const unfired: Unfired[] = []
    for (;;) {
      const holds = await this.#due()
      const fired = await fireEach(this.#runtime, holds)
      happened.push(...fired.happened)
      unfired.push(...this.#note(holds, fired))
      const ofStore = fired.failed.find(({ thrown }) => isOfStore(thrown))
      if (ofStore && happened.length === 0) throw ofStore.thrown
      // If no hold of a page could be fired, another process fires them.
      if (fired.happened.length === 0 || ofStore) return { happened, unfired }
    }
  }

  /** Like `fire`, with a process warning for each hold that could not be fired. */
  async fireAndWarn(): Promise<readonly DueEvent[]> {
    const { happened, unfired } = await this.fire()
    for (const { error } of unfired) process.emitWarning(messageOf(error))
    return happened
  }

  /** When to fire next (ISO time), by the clock of this process; `null` if nothing ever is due. */
  async nextTime(): Promise<string | null> {
    const { clock } = this.#runtime
    const next = await this.nextAt()
    return next === Number.POSITIVE_INFINITY ? null : isoTime(Math.round(clock.now() + next - clock.steady()))
  }

  /** When to fire next, by the steady clock: not later than now if something is due. Infinity if nothing ever is. */
  async nextAt(): Promise<number> {
    const { store, clock, clocks } = this.#runtime
    const first = await store.nextDue()
    if (first === null) return Number.POSITIVE_INFINITY
    const now = await store.now()
    const steady = clock.steady()
    clocks.look({ now, steady })
    // Deadlines are the store's, and this process sleeps by its own clock.
    const at = (time: string) => steady + Date.parse(time) - now
    if (at(first) > steady || (await this.#due()).length > 0) return at(first)
    const later = await store.nextDue(isoTime(now))
    return Math.min(later === null ? Number.POSITIVE_INFINITY : at(later), this.#backoff.next)
  }

  /** The holds that are due now, except those that wait for their next try. */
  async #due(): Promise<readonly Hold[]> {
    const { store } = this.#runtime
    const ids = this.#backoff.ids
    const holds = await store.dueHolds(isoTime(await store.now()), PAGE + ids.length)
    const due = new Set(holds.map(({ id }) => id))
    for (const id of ids) if (!due.has(id)) this.#backoff.forget(id)
    return holds.filter(({ id }) => !this.#backoff.isWaiting(id))
  }

  #note(holds: readonly Hold[], { happened, failed }: Fired): Unfired[] {
    const over = new Set([...happened.map(({ data }) => data.hold_id), ...failed.map(({ hold }) => hold.id)])
    for (const { id } of holds) if (!over.has(id)) this.#backoff.putOff(id, AGAIN_MS)
    return failed.flatMap(({ hold, thrown }) => {
      if (isOfStore(thrown)) return []
      const { isNews, waitMs } = this.#backoff.note(hold.id, thrown)
      return isNews ? [{ hold, error: thrown, retry_at: isoTime(this.#runtime.clock.now() + waitMs) }] : []
    })
  }
}

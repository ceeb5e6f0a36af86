/**
 * Notifies people of what waits for them: records of the feed become notices in the outbox, and those are sent.
 * N1  No run waits for a notice, and the transaction that a notice reports writes nothing for it (P4).
 * N2  A look is caused by a change, a due time, or the end of a try; a burst of changes costs one look.
 * N3  Each channel sends a few at once; one that hangs holds up one slot of its own channel.
 * N4  A slot continues until nothing is due in its channel: a burst to one address needs no look for each message.
 */
import { Alarm } from '../../async/alarm.ts'
import { onAbort } from '../../async/on-abort.ts'
import { SteadyBackoff } from '../../async/steady-backoff.ts'
import { Underway } from '../../async/underway.ts'
import { messageOf } from '../../core/errors.ts'
import type { ChannelKind } from '../../core/notice/notice-event.ts'
import { isStoreGone } from '../../core/store-gone.ts'
import type { Notifier } from '../../ports/notifier.ts'
import type { ClaimedNotice } from '../../ports/store/people/notices.ts'
import { deliver } from './deliver.ts'
import type { NotifyDeps } from './notify-deps.ts'
import { RecordReader } from './take-records.ts'

/** From one look to the next: what changes meanwhile, the next one sees. */
const BREATH_MS = 20
/** Between looks if no change is announced. */
const SAFETY_MS = 60_000
/** The longest wait after what failed. */
const LONGEST_WAIT_MS = 30_000
/** Tries of one channel at once. */
const SLOTS = 4
/** Longer than any try with those that belong to it. */
const CLAIM_MS = 60_000
/** The grace period of tries under way when the process stops. */
const GRACE_MS = 2_000

export interface NotifyOptions {
  /** Ends it: nothing more is begun, and what is under way has a short time. */
  readonly signal: AbortSignal
  /** True to end when nothing is due now. */
  readonly once?: boolean
  /** From 0 to 1. */
  readonly random: () => number
}

/** Resolves once it was asked to end, or with `once` when nothing is due. */
export async function notifyPeople(deps: NotifyDeps, options: NotifyOptions): Promise<void> {
  if (deps.notifiers.length > 0) await new Notifying(deps, options).run()
}

class Notifying {
  readonly #deps: NotifyDeps
  readonly #options: NotifyOptions
  readonly #reader: RecordReader
  readonly #alarm: Alarm
  readonly #stop = new AbortController()
  readonly #underway = new Underway()
  readonly #busy = new Map<ChannelKind, number>()
  /** Recent failures: the reading of records, and the tries of each channel, each separately. */
  readonly #backoff: SteadyBackoff

  constructor(deps: NotifyDeps, options: NotifyOptions) {
    this.#deps = deps
    this.#options = options
    this.#reader = new RecordReader(deps)
    this.#alarm = new Alarm(deps.clock)
    this.#backoff = new SteadyBackoff(deps.clock, LONGEST_WAIT_MS)
  }

  async run(): Promise<void> {
    const { store, clock } = this.#deps
    const { signal, once = false } = this.#options
    using _watch = store.watchFeed(() => this.#alarm.ring())
    using _end = onAbort(signal, () => this.#alarm.ring())
    while (!signal.aborted) {
      this.#alarm.reset()
      const next = await this.#look()
      if (once && this.#isIdle && !this.#alarm.hasRung) break
      await clock.sleep(BREATH_MS, signal).catch(() => {})
      if (!signal.aborted) await this.#alarm.sleep(next - clock.steady())
    }
    if (!(await this.#underway.settled(clock, GRACE_MS))) this.#stop.abort(new NotifyingStops())
    await this.#underway.ended()
  }

  get #isIdle(): boolean {
    return [...this.#busy.values()].every(count => count === 0)
  }

  /** Reads, and begins what is due; resolves to when to look again if nothing happens before, by the steady clock. */
  async #look(): Promise<number> {
    const { clock, store, notifiers } = this.#deps
    const kinds = notifiers.map(({ kind }) => kind)
    await this.#attempt('records', () => this.#reader.readAll())
    for (const kind of kinds) await this.#attempt(kind, () => this.#fill(kind))
    let next: string | null = null
    await this.#attempt('next', async () => {
      next = await store.notices.nextDue(kinds)
    })
    const now = clock.steady()
    const nextAt = next === null ? Number.POSITIVE_INFINITY : now + Date.parse(next) - clock.now()
    return Math.min(now + SAFETY_MS, nextAt, this.#backoff.next)
  }

  /** A failing piece of work blocks no other. @throws if the store is gone for good */
  async #attempt(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#backoff.isWaiting(name)) return
    try {
      await work()
      this.#backoff.forget(name)
    } catch (error) {
      if (isStoreGone(error)) throw error
      this.#failed(name, error)
    }
  }

  async #fill(channel: ChannelKind): Promise<void> {
    const { store, notifiers } = this.#deps
    const notifier = notifiers.find(({ kind }) => kind === channel)
    const limit = SLOTS - (this.#busy.get(channel) ?? 0)
    if (!notifier || limit <= 0) return
    for (const claim of await store.notices.claim({ channel, limit, ttl_ms: CLAIM_MS })) {
      this.#count(channel, 1)
      void this.#underway
        .track(this.#serve(notifier, claim).catch(error => this.#failed(`try of ${channel}`, error)))
        .finally(() => {
          this.#count(channel, -1)
          this.#alarm.ring()
        })
    }
  }

  /** N4. */
  async #serve(notifier: Notifier, claim: ClaimedNotice): Promise<void> {
    const { store } = this.#deps
    const { signal, random } = this.#options
    const deps = { ...this.#deps, notifier, ttl_ms: CLAIM_MS, stop: this.#stop.signal, random }
    for (let next: ClaimedNotice | undefined = claim; next; ) {
      await deliver(deps, next)
      this.#backoff.forget(`try of ${notifier.kind}`)
      if (signal.aborted) return
      next = (await store.notices.claim({ channel: notifier.kind, limit: 1, ttl_ms: CLAIM_MS }))[0]
    }
  }

  /**
   * Reports a failure once. If the store failed in the middle of a try, the claim expires, and the notice is tried
   * again.
   */
  #failed(name: string, error: unknown): void {
    const isKnown = this.#backoff.hasFailedWith(messageOf(error))
    this.#backoff.note(name, error)
    if (!isKnown) this.#deps.tell({ kind: 'notify.failed', error })
  }

  #count(channel: ChannelKind, change: number): void {
    this.#busy.set(channel, (this.#busy.get(channel) ?? 0) + change)
  }
}

class NotifyingStops extends Error {
  constructor() {
    super('the process stops')
  }
}

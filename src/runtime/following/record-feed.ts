/**
 * The audit log as it grows, read once for all its followers in this process.
 * R1  The store is watched once, and only while the log is followed. A burst of commits costs one look in 20 ms.
 * R2  Each record is given once, in order. No writer waits for a follower.
 * R3  A follower that is further back than the kept records reads for itself.
 * R4  If the store cannot be read, the followers read for themselves, and meet the error.
 */
import { eachChange } from '../../async/each-change.ts'
import { keptAlive } from '../../async/kept-alive.ts'
import { NEVER, orAborted } from '../../async/on-abort.ts'
import { A_COUNT, A_SIGNAL, checkFields, type Rules } from '../../core/given-fields.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AuditStore } from '../../ports/store/audit.ts'
import type { Feed, FeedEntry } from '../../ports/store/feed.ts'

/** The options of `audit.follow`. */
export interface FollowRecordsOptions {
  /** The last `seq` that the caller has; 0 for all of the log. Default: 0. */
  readonly since?: number
  /** Ends it. */
  readonly signal?: AbortSignal
}

/** The shortest time from one look to the next. */
const REST_MS = 20
/** A watch reports every change, so this covers only what a watch might miss. */
const SAFETY_MS = 60_000
/** Records that are kept for followers that lag. */
const KEPT = 256
/** Records read at once, at most. */
const PAGE = 500

const OPTIONS: Rules<FollowRecordsOptions> = { since: A_COUNT, signal: A_SIGNAL }

export class RecordFeed {
  readonly #store: Feed & Pick<AuditStore, 'auditHead'>
  readonly #clock: Clock
  #followers = 0
  #over = new AbortController()
  /** The newest `seq` that was read; `null` if the log is not watched, or could not be read. */
  #seq: number | null = null
  #kept: readonly FeedEntry[] = []
  #news = Promise.withResolvers<void>()

  constructor(store: Feed & Pick<AuditStore, 'auditHead'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** @throws RefusedError `invalid_arguments`, or the store's own error */
  async *follow(options: FollowRecordsOptions = {}): AsyncGenerator<FeedEntry, void, undefined> {
    const { since = 0, signal = NEVER } = checkFields('audit.follow', options, OPTIONS)
    using _joined = this.#join()
    using _alive = keptAlive(signal)
    for (let seq = since; !signal.aborted; ) {
      const news = this.#news.promise
      const page = await this.#behind(seq)
      for (const entry of page) {
        if (signal.aborted) return
        yield entry
      }
      seq = page.at(-1)?.seq ?? seq
      if (page.length === 0) await orAborted(news, signal).catch(() => {})
    }
  }

  #join(): Disposable {
    this.#followers += 1
    if (this.#followers === 1) void this.#watch(this.#over.signal)
    return {
      [Symbol.dispose]: () => {
        this.#followers -= 1
        if (this.#followers > 0) return
        this.#over.abort()
        this.#over = new AbortController()
      },
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const watches = [(onChange: () => void) => this.#store.watchFeed(onChange)]
    for await (const _ of eachChange({ clock: this.#clock, watches, signal, restMs: REST_MS, safetyMs: SAFETY_MS })) {
      if (signal.aborted) break
      await this.#look(signal)
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const known = this.#seq
    try {
      const seq = known ?? (await this.#store.auditHead()).seq
      const page = known === null ? [] : await this.#store.feed(seq, PAGE)
      // Another watch may have begun meanwhile, with a place of its own.
      if (signal.aborted) return
      this.#kept = [...this.#kept, ...page].slice(-KEPT)
      this.#seq = page.at(-1)?.seq ?? seq
      if (page.length === PAGE) return await this.#look(signal)
    } catch {
      this.#forget()
    }
    this.#news.resolve()
    this.#news = Promise.withResolvers()
  }

  #forget(): void {
    this.#seq = null
    this.#kept = []
  }

  async #behind(seq: number): Promise<readonly FeedEntry[]> {
    if (this.#seq !== null && seq >= this.#seq) return []
    const first = this.#kept[0]?.seq ?? Number.POSITIVE_INFINITY
    return first <= seq + 1 ? this.#kept.slice(seq + 1 - first) : this.#store.feed(seq, PAGE)
  }
}

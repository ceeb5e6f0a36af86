/**
 * The figures that operators watch, as Prometheus reads them.
 * M1  Gauges are read from the store at a scrape; a count that takes long is kept for a while, so that scrapes take a twentieth
 *     of the process at most.
 * M2  Counters are fed from the store's feed, from the start of this process on: they have what other processes did too.
 * M3  Labels have few values, and none is an id, a name of a person or a text.
 */
import { performance } from 'node:perf_hooks'
import { eachChange } from '../../../async/each-change.ts'
import { HOLD_KINDS } from '../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type { Feed } from '../../../ports/store/feed.ts'
import type { Figures, StoreFigures } from '../../../ports/store/figures.ts'
import type { HoldStore } from '../../../ports/store/holds.ts'
import type { ToldRequest } from '../request-observer.ts'
import { type NewsSource, readNews } from '../store-news.ts'
import { type Instruments, makeInstruments } from './instruments.ts'
import { NewsCounter } from './news-counter.ts'

/** A burst of commits is read at once. */
const REST_MS = 1_000
const SAFETY_MS = 10_000
/** Pages of news that a scrape reads at most: the feed lag tells of the rest. */
const MOST_PAGES = 20
/** So many times as long as it took to count, a count is kept. */
const KEPT_FOR = 20

export interface MetricsDeps {
  readonly store: MetricsStore
  readonly clock: Clock
  readonly version: string
  /** The event streams that are open now. */
  readonly streams: () => number
  readonly signal: AbortSignal
}

export type MetricsStore = NewsSource & Figures & Pick<Feed, 'watchFeed'> & Pick<HoldStore, 'hold'>

export class Metrics {
  readonly #site: MetricsDeps
  readonly #registry: import('prom-client').Registry
  readonly #instruments: Instruments
  readonly #counter: NewsCounter
  #seq: number
  #reading: Promise<void> | null = null
  #figures: { readonly value: StoreFigures; readonly until: number }

  constructor(prometheus: typeof import('prom-client'), site: MetricsDeps, figures: StoreFigures) {
    this.#site = site
    this.#registry = new prometheus.Registry()
    prometheus.collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 50 })
    this.#instruments = makeInstruments(prometheus, this.#registry)
    this.#counter = new NewsCounter(this.#instruments, site.store)
    this.#instruments.buildInfo.set({ version: site.version }, 1)
    this.#seq = figures.newest_record
    this.#figures = { value: figures, until: 0 }
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** The text of one scrape. @throws the store's own error */
  async scrape(): Promise<string> {
    await this.#readNews()
    const figures = await this.#currentFigures()
    this.#setGauges(figures)
    return this.#registry.metrics()
  }

  /** Reads what happens until the signal is aborted, so that a scrape finds little left. */
  async follow(): Promise<void> {
    const { clock, store, signal } = this.#site
    const watches = [(onChange: () => void) => store.watchFeed(onChange)]
    // The next scrape meets the trouble, and tells.
    for await (const _ of eachChange({ clock, watches, signal, restMs: REST_MS, safetyMs: SAFETY_MS }))
      await this.#readNews().catch(() => {})
  }

  /** An event of a run that this process advances. */
  hear(event: JournalEvent | Ephemeral): void {
    if (event.kind === 'model.retrying') this.#counter.modelFailed(event.data.code)
  }

  answered({ method, route, status, ms }: ToldRequest): void {
    this.#instruments.requests.inc({ method, route, status: String(status) })
    this.#instruments.requestTimes.observe({ route }, ms / 1000)
  }

  /** One reader at a time, or events would count twice. */
  #readNews(): Promise<void> {
    this.#reading ??= this.#readPages().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #readPages(): Promise<void> {
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const news = await readNews(this.#site.store, this.#seq)
      if (news === null) return
      this.#seq = news.to
      await this.#counter.count(news)
    }
  }

  async #currentFigures(): Promise<StoreFigures> {
    const { store, clock } = this.#site
    const before = performance.now()
    if (before < this.#figures.until) return this.#figures.value
    const value = await store.figures(new Date(clock.now()).toISOString())
    const now = performance.now()
    this.#figures = { value, until: now + (now - before) * KEPT_FOR }
    return value
  }

  #setGauges({ open_holds, runs, leases, newest_record, cursors }: StoreFigures): void {
    const { holdsOpen, oldestHold, feedLag, ...instruments } = this.#instruments
    feedLag.reset()
    for (const kind of HOLD_KINDS) for (const gauge of [holdsOpen, oldestHold]) gauge.set({ kind }, 0)
    for (const { kind, count, oldest_at } of open_holds) {
      holdsOpen.set({ kind }, count)
      oldestHold.set({ kind }, Math.max(this.#site.clock.now() - Date.parse(oldest_at), 0) / 1000)
    }
    for (const [status, count] of Object.entries(runs)) instruments.runs.set({ status }, count)
    for (const [state, count] of Object.entries(leases)) instruments.leases.set({ state }, count)
    feedLag.set({ reader: 'metrics' }, Math.max(newest_record - this.#seq, 0))
    for (const { name, seq } of cursors) feedLag.set({ reader: name }, newest_record - seq)
    instruments.streams.set(this.#site.streams())
  }
}

/** Loads the library of Prometheus, and begins to count. */
export async function openMetrics(site: MetricsDeps): Promise<Metrics> {
  const [prometheus, figures] = await Promise.all([
    import('prom-client'),
    site.store.figures(new Date(site.clock.now()).toISOString()),
  ])
  const metrics = new Metrics(
    'default' in prometheus ? (prometheus.default as typeof prometheus) : prometheus,
    site,
    figures,
  )
  void metrics.follow()
  return metrics
}

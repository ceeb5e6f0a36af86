/**
 * Sends the spans of all runs of a store to a collector.
 * T1  A cursor in the store says how far they were sent: a restart, or a collector that is down for a day, loses none.
 * T2  Of several servers with one store, one sends a span. After a crash it may be sent again, with the same ids.
 * T3  The first server that sends begins with what happens from then on.
 * T4  No run waits for a collector.
 */
import { eachChange } from '../../../async/each-change.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AuditStore } from '../../../ports/store/audit.ts'
import type { Cursor, Feed } from '../../../ports/store/feed.ts'
import type { RunStore } from '../../../ports/store/runs.ts'
import { type News, type NewsSource, readNews } from '../store-news.ts'
import { openOtlpExporter, type SpanExporter } from './otlp-exporter.ts'
import { type FinishedSpan, rootIdOf, traceIdOf } from './span.ts'
import { SpanFold } from './span-fold.ts'
import type { TraceSettings } from './trace-settings.ts'

export type TracedStore = NewsSource &
  Pick<Feed, 'watchFeed' | 'cursor'> &
  Pick<AuditStore, 'auditHead'> &
  Pick<RunStore, 'run'>

export interface TracesDeps extends TraceSettings {
  readonly store: TracedStore
  readonly clock: Clock
  readonly version: string
  /** Told once when the collector takes nothing, and once when it does again. */
  readonly onTrouble: (error: Error | null) => void
  readonly signal: AbortSignal
}

const CURSOR = 'traces'
const REST_MS = 500
const SAFETY_MS = 30_000
/** Threads whose open spans are remembered; those of others are read again from their journals. */
const MOST_THREADS = 500
/** A collector that answers with one of these never takes the same spans. */
const HOPELESS: readonly unknown[] = [400, 413, 422]

/** Resolves when the signal is aborted and what was left is sent. */
export async function openTraces(site: TracesDeps): Promise<void> {
  const { url, version, resource } = site
  await new Traces(site, await openOtlpExporter({ url, version, resource })).follow()
}

class Traces {
  readonly #site: TracesDeps
  readonly #exporter: SpanExporter
  readonly #cursor: Cursor
  readonly #places: TracePlaces
  readonly #folds = new Map<string, SpanFold>()
  #isTroubled = false

  constructor(site: TracesDeps, exporter: SpanExporter) {
    this.#site = site
    this.#exporter = exporter
    this.#cursor = site.store.cursor(CURSOR)
    this.#places = new TracePlaces(site.store)
  }

  /** Sends until the signal is aborted, and then what is left. */
  async follow(): Promise<void> {
    const { clock, store, signal } = this.#site
    await this.#begin().catch(thrown => this.#trouble(thrown))
    const watches = [(onChange: () => void) => store.watchFeed(onChange)]
    for await (const _ of eachChange({ clock, watches, signal, restMs: REST_MS, safetyMs: SAFETY_MS })) {
      try {
        while (await this.#sendPage());
        this.#trouble(null)
      } catch (thrown) {
        this.#trouble(thrown)
      }
    }
    await this.#exporter.close()
  }

  async #begin(): Promise<void> {
    if ((await this.#cursor.read()) === 0) await this.#cursor.advance(0, (await this.#site.store.auditHead()).seq)
  }

  /** True if there may be more. */
  async #sendPage(): Promise<boolean> {
    const from = await this.#cursor.read()
    const news = await readNews(this.#site.store, from)
    if (news === null) return false
    await this.#send(await this.#spansOf(news))
    return this.#cursor.advance(from, news.to)
  }

  async #send(spans: readonly FinishedSpan[]): Promise<void> {
    try {
      await this.#exporter.send(spans)
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && HOPELESS.includes(thrown.code))) throw thrown
      this.#site.onTrouble(thrown)
    }
  }

  async #spansOf({ events }: News): Promise<readonly FinishedSpan[]> {
    const spans: FinishedSpan[] = []
    for (const [threadId, news] of events) {
      const first = news[0]?.seq ?? 0
      const { fold, unread } = await this.#foldOf(threadId, news)
      for (const event of unread) {
        const span = fold.apply(event)
        if (span && event.seq >= first) spans.push(await this.#places.placed(span))
      }
    }
    return spans
  }

  async #foldOf(
    threadId: string,
    news: readonly JournalEvent[],
  ): Promise<{ readonly fold: SpanFold; readonly unread: readonly JournalEvent[] }> {
    const known = this.#folds.get(threadId)
    const fold = known?.seq === (news[0]?.seq ?? 0) - 1 ? known : new SpanFold(this.#site.withContent)
    this.#remember(threadId, fold)
    const last = news.at(-1)?.seq ?? 0
    return { fold, unread: fold === known ? news : await this.#site.store.journal(threadId, 0, last) }
  }

  #remember(threadId: string, fold: SpanFold): void {
    this.#folds.delete(threadId)
    this.#folds.set(threadId, fold)
    const [oldest] = this.#folds.keys()
    if (this.#folds.size > MOST_THREADS && oldest !== undefined) this.#folds.delete(oldest)
  }

  #trouble(thrown: unknown): void {
    const isTroubled = thrown !== null
    if (isTroubled !== this.#isTroubled)
      this.#site.onTrouble(thrown === null ? null : thrown instanceof Error ? thrown : new TypeError(String(thrown)))
    this.#isTroubled = isTroubled
  }
}

/** A longer chain of agents that start agents has a trace of its own in its lower part. */
const MOST_LEVELS = 100
/** Runs that are remembered. */
const MOST_RUNS = 2_000

interface TracePlace {
  readonly trace_id: string
  /** The span of the run whose agent started this one; `null` if no agent did. */
  readonly parent_id: string | null
}

/** A run that an agent started belongs to the trace of that agent's run, so one trace has all that came of a request. */
class TracePlaces {
  readonly #store: Pick<RunStore, 'run'>
  readonly #parents = new Map<string, string | null>()

  constructor(store: Pick<RunStore, 'run'>) {
    this.#store = store
  }

  /** The span in the trace of its run. */
  async placed(span: FinishedSpan): Promise<FinishedSpan> {
    const { trace_id, parent_id } = await this.#placeOf(span.run_id)
    return { ...span, trace_id, parent_id: span.parent_id ?? parent_id }
  }

  async #placeOf(runId: string): Promise<TracePlace> {
    const parent = await this.#parentOf(runId)
    let first = runId
    for (let level = 0, next = parent; next !== null && level < MOST_LEVELS; level += 1) {
      first = next
      next = await this.#parentOf(next)
    }
    return { trace_id: traceIdOf(first), parent_id: parent === null ? null : rootIdOf(parent) }
  }

  /** A run that was deleted has no parent that is known. */
  async #parentOf(runId: string): Promise<string | null> {
    const known = this.#parents.get(runId)
    if (known !== undefined) return known
    const parent = (await this.#store.run(runId))?.parent_run_id ?? null
    if (this.#parents.size >= MOST_RUNS) this.#parents.clear()
    this.#parents.set(runId, parent)
    return parent
  }
}

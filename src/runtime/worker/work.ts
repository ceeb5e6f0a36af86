/**
 * A host that calls `advance` for each run that became ready, and fires what is due (docs/design/runs.md#one-verb).
 * W1  A run is taken up by one slot at a time; beside that, its lease says who works on it (P7).
 * W2  Looks are caused by changes, by what is due and by what ends; never by impatience. A burst of changes costs one look.
 * W3  A run that cannot be advanced holds up no other.
 * W4  Whoever is told to drain begins nothing more, and leaves only once all it began has let go.
 */
import { LeaseLostError } from '../../core/errors.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Growth } from '../../ports/store/journal.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import { expireHolds } from '../holds/expire-holds.ts'
import type { AdvanceResult } from '../views/face-options.ts'
import { Alarm } from './alarm.ts'
import { RunBackoff, waitAfter } from './run-backoff.ts'
import type { Advance, WorkEvent, WorkOptions } from './work-options.ts'

const USUAL_CONCURRENCY = 4
const USUAL_GRACE_MS = 20_000
/** Between two looks: nine times what the last one took, within these bounds. What changes meanwhile, the next one sees. */
const SHORTEST_BREATH_MS = 20
const LONGEST_BREATH_MS = 250
/** What is due and could not be fired is looked at again after this. */
const OVERDUE_MS = 1_000
/** Nothing is missed for good where nobody tells of a change. */
const SAFETY_MS = 30_000
/** While others hold leases: how soon it is seen that an owner is gone, before its lease runs out. */
const LIVENESS_MS = 2_000

interface Needs {
  readonly runtime: Runtime
  readonly advance: Advance
}

/** Resolves once it was told to end and all that was begun has come to rest, or with `once` when nothing is left to do. */
export async function work(needs: Needs, options: WorkOptions): Promise<void> {
  await new Worker(needs, options).work()
}

class Worker {
  readonly #runtime: Runtime
  readonly #advance: Advance
  readonly #concurrency: number
  readonly #graceMs: number
  readonly #isOnce: boolean
  readonly #onEvent: (event: WorkEvent) => void
  /** Aborted when nothing more is to be begun. */
  readonly #drains: AbortSignal
  readonly #stop = new AbortController()
  /** Aborted when those under way are to stop. */
  readonly #stops: AbortSignal
  readonly #alarm: Alarm
  readonly #backoff = new RunBackoff()
  readonly #underway = new Map<string, Promise<void>>()
  /** The threads of those, and what was told of them. */
  readonly #taken = new Map<string, { readonly run_id: string; isTold: boolean }>()
  /** Runs that were ready at the last look, the oldest first. */
  #ready: RunRow[] = []
  /** When the lease of another owner is to be looked at; infinity where none is held. */
  #othersAt = Number.POSITIVE_INFINITY
  /** With `once`: what was tried in vain. */
  readonly #left = new Set<string>()
  #failedLooks = 0
  #faultOfListener: { readonly thrown: unknown } | null = null

  constructor({ runtime, advance }: Needs, options: WorkOptions) {
    const never = new AbortController().signal
    this.#runtime = runtime
    this.#advance = options.advance ?? advance
    this.#concurrency = options.concurrency ?? USUAL_CONCURRENCY
    this.#graceMs = options.graceMs ?? USUAL_GRACE_MS
    this.#isOnce = options.once ?? false
    this.#onEvent = options.onEvent ?? (() => {})
    this.#stops = AbortSignal.any([this.#stop.signal, options.stopSignal ?? never])
    this.#drains = AbortSignal.any([options.signal ?? never, this.#stops])
    this.#alarm = new Alarm(runtime.clock)
  }

  async work(): Promise<void> {
    const { store, liveness } = this.#runtime
    const ring = () => this.#alarm.ring()
    using _watch = store.watch(change => this.#hear(change))
    this.#drains.addEventListener('abort', ring, { once: true })
    this.#tell({ kind: 'worker.started', owner: liveness.self, concurrency: this.#concurrency })
    try {
      await this.#untilToldToEnd()
    } finally {
      this.#drains.removeEventListener('abort', ring)
      await this.#drain()
      this.#tell({ kind: 'worker.stopped', owner: liveness.self })
    }
    if (this.#faultOfListener) throw this.#faultOfListener.thrown
  }

  /** No run is harmed by a listener that throws: the work ends, and tells of it then. */
  #tell(event: WorkEvent): void {
    try {
      this.#onEvent(event)
    } catch (thrown) {
      this.#faultOfListener ??= { thrown }
      this.#stop.abort(new WorkerStops())
    }
  }

  #hear(change: Growth | null): void {
    const taken = change && this.#taken.get(change.thread_id)
    if (taken && !taken.isTold) {
      taken.isTold = true
      this.#tell({ kind: 'run.taken', run_id: taken.run_id, thread_id: change.thread_id })
    }
    this.#alarm.ring()
  }

  async #untilToldToEnd(): Promise<void> {
    const { clock } = this.#runtime
    while (!this.#drains.aborted) {
      const begun = clock.now()
      // What changes from here on may not be in what is read.
      this.#alarm.reset()
      const next = await this.#look()
      if (this.#isOnce && this.#underway.size === 0 && !this.#alarm.hasRung) return
      const breath = Math.min(Math.max(SHORTEST_BREATH_MS, 9 * (clock.now() - begun)), LONGEST_BREATH_MS)
      await clock.sleep(breath, this.#drains).catch(() => {})
      if (!this.#drains.aborted) await this.#alarm.sleepUntil(next)
    }
  }

  /** Does what can be done now; resolves to when to look again, where nothing happens before (milliseconds since 1970). */
  async #look(): Promise<number> {
    const { clock } = this.#runtime
    try {
      const dueAt = await this.#fireDue()
      if (this.#hasRoom) this.#ready = await this.#readyRuns()
      this.#failedLooks = 0
      this.#begin()
      const now = clock.now()
      const rooms = this.#hasRoom ? [this.#othersAt, this.#backoff.nextAfter(now)] : []
      return Math.min(now + SAFETY_MS, dueAt, ...rooms)
    } catch (thrown) {
      if (this.#isOnce) throw thrown
      return this.#afterFailedLook(thrown)
    }
  }

  /** The store may be well again later; said once. */
  #afterFailedLook(error: unknown): number {
    this.#failedLooks += 1
    const retryAt = this.#runtime.clock.now() + Math.min(waitAfter(this.#failedLooks), SAFETY_MS)
    if (this.#failedLooks === 1) this.#tell({ kind: 'work.failed', error, retry_at: isoTime(retryAt) })
    return retryAt
  }

  /** Resolves to when something is due next. */
  async #fireDue(): Promise<number> {
    const { clock, store } = this.#runtime
    const next = await store.nextDue()
    if (next === null) return Number.POSITIVE_INFINITY
    if (Date.parse(next) > clock.now()) return Date.parse(next)
    for (const event of await expireHolds(this.#runtime)) this.#tell(event)
    const after = await store.nextDue()
    return after === null ? Number.POSITIVE_INFINITY : Math.max(Date.parse(after), clock.now() + OVERDUE_MS)
  }

  get #hasRoom(): boolean {
    return this.#ready.length === 0 && this.#underway.size < this.#concurrency
  }

  async #readyRuns(): Promise<RunRow[]> {
    const rows = await this.#runtime.store.runs({ status: 'running' })
    this.#backoff.keepOnly(new Set(rows.map(({ id }) => id)))
    this.#othersAt = this.#nextOfOthers(rows)
    const ready: RunRow[] = []
    for (const row of rows) if (await this.#isReady(row)) ready.push(row)
    return ready.reverse()
  }

  /** Runs of others are looked at when their lease runs out, and now and then whether their owner still lives. */
  #nextOfOthers(rows: readonly RunRow[]): number {
    const now = this.#runtime.clock.now()
    const leases = rows.flatMap(({ id, lease }) => (lease && !this.#underway.has(id) ? [Date.parse(lease.until)] : []))
    return Math.min(...leases.map(until => Math.min(Math.max(until, now), now + LIVENESS_MS)))
  }

  async #isReady({ id, status, lease }: RunRow): Promise<boolean> {
    if (status !== 'running' || this.#underway.has(id) || this.#left.has(id)) return false
    return this.#isFree(lease) && !(await this.#isSetBack(id))
  }

  #isFree(lease: RunRow['lease']): boolean {
    const { clock, liveness } = this.#runtime
    return lease === null || Date.parse(lease.until) <= clock.now() || liveness.isGone(lease.owner)
  }

  /** Whatever somebody wrote since may be what it lacked. */
  async #isSetBack(id: string): Promise<boolean> {
    const setback = this.#backoff.get(id)
    if (!setback || setback.retryAt <= this.#runtime.clock.now()) return false
    if (setback.seq === null) return true
    return (await this.#runtime.store.journal(setback.thread_id, setback.seq, 1)).length === 0
  }

  #begin(): void {
    while (this.#underway.size < this.#concurrency && !this.#drains.aborted) {
      const row = this.#ready.shift()
      if (!row) return
      this.#underway.set(row.id, this.#occupySlot(row))
    }
  }

  async #occupySlot(row: RunRow): Promise<void> {
    try {
      if (await this.#isStillFree(row)) await this.#takeUp(row)
    } catch (thrown) {
      await this.#setBack(row, thrown)
    } finally {
      this.#underway.delete(row.id)
      this.#begin()
      this.#alarm.ring()
    }
  }

  /** It may have waited for its turn while another worker took it up. */
  async #isStillFree({ id }: RunRow): Promise<boolean> {
    const row = await this.#runtime.store.run(id)
    return row?.status === 'running' && this.#isFree(row.lease)
  }

  async #takeUp(row: RunRow): Promise<void> {
    const { id, thread_id } = row
    const taken = { run_id: id, isTold: false }
    this.#taken.set(thread_id, taken)
    try {
      const result = await this.#advance(row, { signal: this.#stops })
      if (!isView(result)) this.#leave(id)
      // Where nothing was written, somebody else was quicker, and tells of it.
      else if (taken.isTold) this.#tell({ kind: 'run.advanced', run_id: id, thread_id, view: result })
    } finally {
      this.#taken.delete(thread_id)
    }
  }

  #leave(id: string): void {
    if (this.#isOnce) this.#left.add(id)
  }

  async #setBack({ id, thread_id }: RunRow, thrown: unknown): Promise<void> {
    this.#leave(id)
    // Another process took it over, or will.
    if (thrown instanceof LeaseLostError || (this.#stops.aborted && thrown === this.#stops.reason)) return
    const seq = await this.#newestSeq(thread_id)
    const now = this.#runtime.clock.now()
    const { isNews, retryAt } = this.#backoff.note(id, { thread_id, seq, thrown, now })
    const retry_at = this.#isOnce ? null : isoTime(retryAt)
    if (isNews) this.#tell({ kind: 'run.failed', run_id: id, thread_id, error: thrown, retry_at })
  }

  async #newestSeq(threadId: string): Promise<number | null> {
    try {
      return (await this.#runtime.store.journal(threadId)).at(-1)?.seq ?? null
    } catch {
      return null
    }
  }

  async #drain(): Promise<void> {
    this.#ready = []
    if (this.#underway.size === 0) return
    const atRest = new AbortController()
    const over = this.#allAtRest().then(() => atRest.abort())
    await this.#runtime.clock.sleep(this.#graceMs, atRest.signal).catch(() => {})
    if (!atRest.signal.aborted) this.#stop.abort(new WorkerStops())
    await over
  }

  async #allAtRest(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway.values())
  }
}

/** The grace is over: what is under way goes on in another process. */
class WorkerStops extends Error {
  constructor() {
    super('the worker stops')
  }
}

function isView(result: AdvanceResult): result is Extract<AdvanceResult, { profile: unknown }> {
  return 'profile' in result
}

function isoTime(time: number): string {
  return new Date(time).toISOString()
}

/**
 * A host that calls `advance` for each run that became ready, and fires what is due (docs/design/runs.md#one-verb).
 * W1  One slot at a time takes a run; in addition, the lease names its worker (P7).
 * W2  Looks are caused by changes, due times and ends; never by impatience. A burst of changes costs one look.
 * W3  A run that cannot be advanced holds up no other.
 * W4  A worker that drains begins nothing more, and exits only once all it began has let go.
 */
import { orElse } from '../../async/afterwards.ts'
import { Alarm } from '../../async/alarm.ts'
import { onAbort } from '../../async/on-abort.ts'
import type { Dispatcher } from '../../ports/dispatcher.ts'
import type { ReadyRuns } from '../../ports/ready-runs.ts'
import type { DueRuntime } from '../holds/due-holds.ts'
import { Chores } from './chores.ts'
import { DispatchedRuns, SWEEP_MS } from './dispatched-runs.ts'
import { SignOfLife } from './sign-of-life.ts'
import { Slots } from './slots.ts'
import { StoredRuns, type StoredRunsDeps } from './stored-runs.ts'
import { Sweep } from './sweep.ts'
import { type Advance, type WorkEvent, type WorkOptions, workOptions } from './work-options.ts'

const USUAL_CONCURRENCY = 4
const USUAL_GRACE_MS = 20_000
/**
 * From one look to the next: what changes meanwhile, the next one sees. It is constant, as a look reads a page at most; a
 * time that was measured would count the commits of other slots, and delay who waits for an answer.
 */
const BREATH_MS = 5
/** While no slot is free, only what is due could be missed. */
const BUSY_BREATH_MS = 50
/** Milliseconds between looks if no change is announced. */
const SAFETY_MS = 30_000

interface Engine {
  readonly dispatcher: Dispatcher
  readonly runs: DispatchedRuns
}

interface Needs {
  readonly runtime: DueRuntime
  readonly advance: Advance
}

/** Resolves once it was asked to end and all its work has come to a stop, or with `once` when nothing is left to do. */
export async function work(needs: Needs, options: WorkOptions): Promise<void> {
  await new Worker(needs, workOptions(options)).work()
}

class Worker {
  readonly #runtime: DueRuntime
  readonly #concurrency: number
  readonly #graceMs: number
  readonly #isOnce: boolean
  readonly #onEvent: (event: WorkEvent) => void
  /** Aborted when nothing more is to be begun. */
  readonly #drains: AbortSignal
  readonly #stop = new AbortController()
  readonly #alarm: Alarm
  readonly #source: ReadyRuns
  readonly #engine: Engine | null
  readonly #slots: Slots
  readonly #sweep: Sweep
  readonly #chores: Chores
  readonly #life: SignOfLife
  #faultOfListener: { readonly thrown: unknown } | null = null

  constructor({ runtime, advance }: Needs, options: WorkOptions) {
    const never = new AbortController().signal
    this.#runtime = runtime
    this.#concurrency = options.concurrency ?? USUAL_CONCURRENCY
    this.#graceMs = options.graceMs ?? USUAL_GRACE_MS
    this.#isOnce = options.once ?? false
    this.#onEvent = options.onEvent ?? (() => {})
    const stops = AbortSignal.any([this.#stop.signal, options.stopSignal ?? never])
    this.#drains = AbortSignal.any([options.signal ?? never, stops])
    this.#alarm = new Alarm(runtime.clock)
    const { store, clock, liveness } = runtime
    const deps = { store, clock, owner: liveness.self, tasks: options.tasks ?? true }
    this.#engine = engineOf(options, deps)
    this.#source = this.#engine?.runs ?? new StoredRuns(deps)
    const tell = (event: WorkEvent) => this.#tell(event)
    this.#slots = new Slots({
      runtime,
      source: this.#source,
      advance: options.advance ?? advance,
      concurrency: this.#concurrency,
      isOnce: this.#isOnce,
      drains: this.#drains,
      stops,
      tell,
      onFree: () => this.#alarm.ring(),
    })
    this.#sweep = new Sweep({ runtime, tell, isOwn: id => this.#slots.has(id) })
    this.#chores = new Chores({ clock: runtime.clock, isOnce: this.#isOnce, tell })
    this.#life = new SignOfLife(runtime)
  }

  async work(): Promise<void> {
    const { store, liveness } = this.#runtime
    const ring = () => this.#alarm.ring()
    using _growth = store.watch(change => this.#slots.hear(change))
    using _ready = this.#source.watch(ring)
    this.#drains.addEventListener('abort', ring, { once: true })
    this.#tell({ kind: 'worker.started', owner: liveness.self, concurrency: this.#concurrency })
    const over = new AbortController()
    const dispatched = this.#dispatch(AbortSignal.any([this.#drains, over.signal]))
    try {
      await this.#untilToldToEnd()
    } finally {
      this.#drains.removeEventListener('abort', ring)
      over.abort()
      await this.#drain()
      await dispatched
      await this.#life.end()
      this.#tell({ kind: 'worker.stopped', owner: liveness.self })
    }
    if (this.#faultOfListener) throw this.#faultOfListener.thrown
  }

  /** Resolves when the engine has handed over its last run and that run has stopped here. */
  async #dispatch(signal: AbortSignal): Promise<void> {
    if (this.#engine === null) return
    const { dispatcher, runs } = this.#engine
    using _close = onAbort(signal, () => runs.close())
    const dispatch = () => dispatcher.dispatch(runs, { concurrency: this.#concurrency, signal })
    await this.#chores.until(signal, dispatch)
  }

  /** A listener that throws harms no run: the work ends, and reports the error then. */
  #tell(event: WorkEvent): void {
    void orElse<unknown>(
      () => this.#onEvent(event),
      thrown => {
        this.#faultOfListener ??= { thrown }
        this.#stop.abort(new WorkerStops())
      },
    )
  }

  async #untilToldToEnd(): Promise<void> {
    while (!this.#drains.aborted) {
      // Changes from here on may not be in the rows that are read.
      this.#alarm.reset()
      const next = await this.#look()
      if (this.#isOnce && this.#slots.count === 0 && !this.#alarm.hasRung) return
      await this.#breathe()
      if (!this.#drains.aborted) await this.#alarm.sleep(next - this.#runtime.clock.steady())
    }
  }

  async #breathe(): Promise<void> {
    const { clock } = this.#runtime
    const latest = clock.steady() + BUSY_BREATH_MS
    do await clock.sleep(BREATH_MS, this.#drains).catch(() => {})
    while (!this.#slots.hasRoom && !this.#drains.aborted && clock.steady() < latest)
  }

  /**
   * W3: does what can be done now, each thing by itself. Resolves to when to look again if nothing happens before, by the
   * steady clock.
   */
  async #look(): Promise<number> {
    const chores = this.#chores
    // One that looks once is gone before others see it.
    const signAt = this.#isOnce ? Number.POSITIVE_INFINITY : await chores.do('sign', () => this.#life.give())
    const dueAt = await chores.do('deadlines', () => this.#sweep.fireDue())
    const leaseAt = await this.#ifRoom(() => chores.do('leases', () => this.#sweep.reclaimLost()))
    const freeAt = await this.#ifRoom(() => chores.do('runs', () => this.#takeReady()))
    const now = this.#runtime.clock.steady()
    // An engine reports due runs to one worker.
    return this.#engine ? now + SWEEP_MS : Math.min(now + SAFETY_MS, signAt, dueAt, leaseAt, freeAt)
  }

  async #ifRoom(work: () => Promise<number>): Promise<number> {
    return this.#slots.hasRoom ? work() : Number.POSITIVE_INFINITY
  }

  /** Resolves to when a run that failed is to be looked at next. */
  async #takeReady(): Promise<number> {
    await this.#slots.forgetRested()
    await this.#slots.fill()
    return this.#slots.nextTry
  }

  async #drain(): Promise<void> {
    if (this.#slots.count === 0) return
    const atRest = new AbortController()
    const over = this.#slots.allAtRest().then(() => atRest.abort())
    await this.#runtime.clock.sleep(this.#graceMs, atRest.signal).catch(() => {})
    if (!atRest.signal.aborted) this.#stop.abort(new WorkerStops())
    await over
  }
}

function engineOf({ dispatcher, once = false }: WorkOptions, deps: StoredRunsDeps): Engine | null {
  return dispatcher && !once ? { dispatcher, runs: new DispatchedRuns(deps) } : null
}

/** The grace period is over: another process continues what is under way. */
class WorkerStops extends Error {
  constructor() {
    super('the worker stops')
  }
}

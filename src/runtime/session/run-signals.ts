/**
 * The signals for a waiting session: writes of others into its journal, a signal to stop, its deadline. The watch is
 * opened with the session and closed with it, so no write in between is missed.
 */
import { onAbort } from '../../async/on-abort.ts'
import { HoldpointError } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JournalStore } from '../../ports/store/journal.ts'

/** Stops work under way for good: its run ends, or continues without it. */
export abstract class CutShortError extends HoldpointError {
  /** The reason, in the words of a call's result. */
  abstract readonly because: string
}

/** The run was cancelled: work under way is to stop. */
export class CancelledError extends CutShortError {
  readonly code = 'cancelled'
  readonly because: string

  constructor(by: string) {
    super(`${by} cancelled the run.`)
    this.because = `${by} cancelled the run`
  }
}

/** A message interrupts the work under way. The run continues with the message. */
export class InterruptedError extends CutShortError {
  readonly code = 'interrupted'
  readonly because = 'a new message interrupted it'

  constructor() {
    super('A message came that interrupts the run.')
  }
}

/** The run's time is up: what is under way is to stop. */
export class OutOfTimeError extends CutShortError {
  readonly code = 'timeout'
  readonly because = 'the time that the run may be worked on for one message was over'

  constructor() {
    super('The time that the run may be worked on is over.')
  }
}

export class RunSignals implements Disposable {
  readonly #outer: AbortSignal
  #stop = new AbortController()
  #signal: AbortSignal
  #timer = new AbortController()
  readonly #watch: Disposable
  /** The newest `seq` that was announced; infinite if another process wrote. */
  #heardOf = 0
  #known = 0
  #waiter: () => void = () => {}
  /** A few at a time, and two a step come and go: a set would be hashed anew again and again. */
  readonly #onStop: (() => void)[] = []
  #isStopped = false
  #stopped: Disposable

  constructor(store: JournalStore, threadId: string, signal: AbortSignal) {
    this.#outer = signal
    this.#signal = AbortSignal.any([signal, this.#stop.signal])
    this.#stopped = this.#tellWhenStopped()
    this.#watch = store.watch(change => {
      if (change !== null && change.thread_id !== threadId) return
      this.remember(change?.seq ?? Number.POSITIVE_INFINITY)
    })
  }

  #tellWhenStopped(): Disposable {
    this.#isStopped = false
    return onAbort(this.#signal, () => {
      this.#isStopped = true
      for (const tell of [...this.#onStop]) tell()
    })
  }

  /** Aborted when what is under way is to stop: an inference, tools, hooks. Another one after `renew`. */
  get signal(): AbortSignal {
    return this.#signal
  }

  /** A cheap `signal.aborted`: Node asks all the parts of a combined signal each time. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** @throws the signal's reason. */
  throwIfStopped(): void {
    if (this.#isStopped) this.#signal.throwIfAborted()
  }

  /** An earlier stop does not stop work that begins from here on. */
  renew(): void {
    if (!this.#stop.signal.aborted) return
    this.#stopped[Symbol.dispose]()
    this.#stop = new AbortController()
    this.#signal = AbortSignal.any([this.#outer, this.#stop.signal])
    this.#stopped = this.#tellWhenStopped()
  }

  /** Resolves to true once the journal may hold more than `seq` events. A later call takes its place. */
  newsBeyond(seq: number): Promise<true> {
    const { promise, resolve } = Promise.withResolvers<true>()
    this.#known = seq
    this.#waiter = () => resolve(true)
    if (this.#heardOf > seq) this.#waiter()
    return promise
  }

  /** The promise resolves to false once the work under way must stop. */
  stopped(): Disposable & { readonly promise: Promise<false> } {
    const { promise, resolve } = Promise.withResolvers<false>()
    const tell = () => resolve(false)
    if (this.#isStopped) tell()
    return { promise, ...this.onStop(tell) }
  }

  /** Calls back when what is under way is to stop; not if it already is. A listener on the signal would cost more. */
  onStop(tell: () => void): Disposable {
    this.#onStop.push(tell)
    return { [Symbol.dispose]: () => this.#forget(tell) }
  }

  #forget(tell: () => void): void {
    const at = this.#onStop.lastIndexOf(tell)
    if (at >= 0) this.#onStop.splice(at, 1)
  }

  /** The caller reads the journal next. */
  forget(): void {
    this.#heardOf = 0
  }

  /** The journal has events up to `seq`, which are to be taken in; infinite if that is not known. */
  remember(seq: number): void {
    this.#heardOf = Math.max(this.#heardOf, seq)
    if (this.#heardOf > this.#known) this.#waiter()
  }

  /** True if the run's time is up and its work was stopped for that. */
  get isLate(): boolean {
    return this.#isStopped && this.#signal.reason instanceof OutOfTimeError
  }

  /** Stops the work under way. */
  stop(reason: Error): void {
    this.#stop.abort(reason)
  }

  /** Stops the run after `ms`, in place of an earlier time. */
  stopAfter(clock: Clock, ms: number): void {
    this.stopNever()
    const timer = new AbortController()
    this.#timer = timer
    clock.sleep(ms, timer.signal).then(
      () => {
        if (!timer.signal.aborted) this.stop(new OutOfTimeError())
      },
      // Another time was set, or the session is over.
      () => {},
    )
  }

  stopNever(): void {
    this.#timer.abort()
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]()
    // P6: Node keeps a combined signal for as long as it has a listener.
    this.#stopped[Symbol.dispose]()
    this.stopNever()
  }
}

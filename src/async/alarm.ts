import type { Clock } from '../ports/clock.ts'
import { NEVER, onAbort } from './on-abort.ts'

/** Wakes one sleeper: when it is rung, or when it is time. A ring before the sleep is remembered. */
export class Alarm {
  readonly #clock: Clock
  #rung = Promise.withResolvers<void>()
  #hasRung = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True if it was rung since the last reset. */
  get hasRung(): boolean {
    return this.#hasRung
  }

  ring(): void {
    this.#hasRung = true
    this.#rung.resolve()
  }

  /** Forgets the rings until now: the caller attends to them. */
  reset(): void {
    this.#hasRung = false
    this.#rung = Promise.withResolvers()
  }

  /** Resolves at the first ring since the reset, at `time` (milliseconds since 1970), or when the signal is aborted. */
  async sleepUntil(time: number, signal: AbortSignal = NEVER): Promise<void> {
    await this.sleep(time - this.#clock.now(), signal)
  }

  /** Sleeps like `sleepUntil`, for `ms` milliseconds at most. */
  async sleep(ms: number, signal: AbortSignal = NEVER): Promise<void> {
    const awake = new AbortController()
    // P6: a signal made of others would stay in memory for as long as the caller's lives.
    using _stop = onAbort(signal, () => awake.abort())
    const inTime = this.#clock.sleep(Math.max(ms, 0), awake.signal).catch(() => {})
    await Promise.race([this.#rung.promise, inTime])
    awake.abort()
  }
}

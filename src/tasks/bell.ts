import type { Clock } from '../ports/clock.ts'

/** Wakes whoever waits for a change. However often it rings before somebody waits, it wakes once. */
export class Bell {
  readonly #clock: Clock
  #rung = Promise.withResolvers<void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(): void {
    this.#rung.resolve()
  }

  /** What rang until now is being attended to. */
  reset(): void {
    this.#rung = Promise.withResolvers()
  }

  /** Until it rings, which it may have done already, `ms` passed, or the signal is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const awake = new AbortController()
    const passed = this.#clock.sleep(ms, AbortSignal.any([awake.signal, signal])).catch(() => {})
    await Promise.race([this.#rung.promise, passed])
    awake.abort()
  }
}

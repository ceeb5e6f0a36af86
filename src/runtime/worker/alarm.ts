import type { Clock } from '../../ports/clock.ts'

/** Wakes one sleeper: rung, or when it is time. However often it is rung before somebody sleeps, it wakes once. */
export class Alarm {
  readonly #clock: Clock
  #rung = Promise.withResolvers<void>()
  #hasRung = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Since it was reset. */
  get hasRung(): boolean {
    return this.#hasRung
  }

  ring(): void {
    this.#hasRung = true
    this.#rung.resolve()
  }

  /** What rang until now is being attended to. */
  reset(): void {
    this.#hasRung = false
    this.#rung = Promise.withResolvers()
  }

  /** Until it is rung, which it may have been already, or it is `time` (milliseconds since 1970). */
  async sleepUntil(time: number): Promise<void> {
    const awake = new AbortController()
    const inTime = this.#clock.sleep(Math.max(time - this.#clock.now(), 0), awake.signal).catch(() => {})
    await Promise.race([this.#rung.promise, inTime])
    awake.abort()
  }
}

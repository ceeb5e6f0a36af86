/** For so long both clocks must agree before a worker trusts a clock that was set, in milliseconds. */
const WATCHED_MS = 60_000
/** The time of a database is heard a moment late. */
const APART_MS = 1_000

interface Reading {
  readonly now: number
  readonly steady: number
}

/** What a worker saw of the clock of the store beside its own steady clock. */
export class ClockWatch {
  #last: Reading | null = null
  /** Since when both agree, by the steady clock. */
  #since = 0

  look(reading: Reading): void {
    const { now, steady } = reading
    const last = this.#last
    const isStep = last === null || Math.abs(now - last.now - (steady - last.steady)) > APART_MS
    if (isStep) this.#since = steady
    this.#last = reading
  }

  /** True once both clocks agreed for a minute. */
  get isTrusted(): boolean {
    return this.#last !== null && this.#last.steady - this.#since >= WATCHED_MS
  }
}

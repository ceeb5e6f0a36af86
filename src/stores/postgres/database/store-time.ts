/** An older answer says too little: the process may have been stopped since, or the clock of the database set. */
const FRESH_MS = 1_000

/**
 * The time of the database, in milliseconds since 1970. Between two answers it is the last one, moved on by the steady clock
 * of this process: so it is late by less than a round trip, and never ahead.
 */
export class StoreTime {
  /** Tests turn a clock of their own; `null`: the database's. */
  readonly #now: (() => number) | null
  #heard: { readonly time: number; readonly at: number } | null = null

  constructor(now: (() => number) | null) {
    this.#now = now
  }

  /** What the database just answered. Returns what counts. */
  hear(answered: unknown): number {
    const time = Number(answered)
    this.#heard = { time, at: performance.now() }
    return this.#now?.() ?? time
  }

  /** `null` if the database has to be asked. */
  get known(): number | null {
    if (this.#now) return this.#now()
    if (this.#heard === null) return null
    const since = performance.now() - this.#heard.at
    return since < FRESH_MS ? Math.floor(this.#heard.time + since) : null
  }
}

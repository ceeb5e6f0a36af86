/** An older answer is too uncertain. */
const FRESH_MS = 1_000
/** The clocks of this process went apart: the machine slept, or its clock was set. */
const APART_MS = 50

interface Heard {
  readonly time: number
  /** When that was, by the steady clock of this process and by the clock of the machine. */
  readonly at: number
  readonly wall: number
}

/**
 * The time of the database, in milliseconds since 1970. Between two answers it is the last one, moved on by the steady clock
 * of this process: a little late, as an answer is on its way for a while, and never ahead.
 */
export class StoreTime {
  /** Tests turn a clock of their own; `null`: the database's. */
  readonly #now: (() => number) | null
  #heard: Heard | null = null

  constructor(now: (() => number) | null) {
    this.#now = now
  }

  /**
   * Takes the time that the database just answered, and returns the one that counts. An answer that was long on its way
   * does not set it back.
   */
  hear(answered: unknown): number {
    const time = Number(answered)
    const known = this.#sinceHeard()
    if (known === null || time > known) this.#heard = { time, at: performance.now(), wall: Date.now() }
    return this.#now?.() ?? time
  }

  /** `null` if the database has to be asked. */
  get known(): number | null {
    return this.#now ? this.#now() : this.#sinceHeard()
  }

  #sinceHeard(): number | null {
    if (this.#heard === null) return null
    const { time, at, wall } = this.#heard
    const since = performance.now() - at
    const isSteady = Math.abs(Date.now() - wall - since) < APART_MS
    return isSteady && since < FRESH_MS ? Math.floor(time + since) : null
  }
}

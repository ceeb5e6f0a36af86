import { messageOf } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'

/** Waits between two tries, in milliseconds: each twice as long as the one before. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 5 * 60_000

interface Waiting {
  readonly tries: number
  /** By the steady clock. */
  readonly until: number
  /** The message of the failure; `null` if the work was only put off. */
  readonly message: string | null
}

/**
 * Work that failed or was put off, and when each piece is tried again. The steady clock measures it, since no person
 * sets that clock.
 */
export class SteadyBackoff {
  readonly #clock: Pick<Clock, 'steady'>
  readonly #longestMs: number
  readonly #all = new Map<string, Waiting>()

  constructor(clock: Pick<Clock, 'steady'>, longestMs: number = LONGEST_WAIT_MS) {
    this.#clock = clock
    this.#longestMs = longestMs
  }

  get ids(): readonly string[] {
    return [...this.#all.keys()]
  }

  /**
   * Records a failure: the next try is `waitMs` from now. `isNews` is true at the first failure, and if the message
   * differs from the one before.
   */
  note(id: string, thrown: unknown): { readonly isNews: boolean; readonly waitMs: number } {
    const before = this.#all.get(id)
    const tries = (before?.tries ?? 0) + 1
    const message = messageOf(thrown)
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), this.#longestMs)
    this.#all.set(id, { tries, until: this.#clock.steady() + waitMs, message })
    return { isNews: before?.message !== message, waitMs }
  }

  /** Delays work that did not fail by `ms` milliseconds. */
  putOff(id: string, ms: number): void {
    this.#all.set(id, { tries: 0, until: this.#clock.steady() + ms, message: null })
  }

  isWaiting(id: string): boolean {
    return this.waitingUntil(id) > this.#clock.steady()
  }

  /** By the steady clock; 0 if it does not wait. */
  waitingUntil(id: string): number {
    return this.#all.get(id)?.until ?? 0
  }

  /** True if something failed with this message and has not succeeded since. */
  hasFailedWith(message: string): boolean {
    return [...this.#all.values()].some(waiting => waiting.message === message)
  }

  forget(id: string): void {
    this.#all.delete(id)
  }

  /** When the next delayed work is due, by the steady clock; infinity if none waits. */
  get next(): number {
    const now = this.#clock.steady()
    return Math.min(...[...this.#all.values()].map(({ until }) => until).filter(time => time > now))
  }
}

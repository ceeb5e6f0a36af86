import type { Clock } from '../ports/clock.ts'
import { endsWithin } from './grace-period.ts'

/** Work that a caller waits for. */
export class Underway {
  readonly #work = new Set<Promise<unknown>>()

  async track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work)
    try {
      return await work
    } finally {
      this.#work.delete(work)
    }
  }

  /** Resolves once all work that is under way now has ended, however long that takes. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#work)
  }

  /** True once all work that is under way now has ended; false after the grace period, in milliseconds. */
  settled(clock: Clock, graceMs: number): Promise<boolean> {
    return endsWithin(clock, graceMs, Promise.allSettled(this.#work))
  }
}

/** How long a run was worked on (DESIGN §4.5): over all of its advances, without the time that it waited for people. */
import { deadlineOf, type StopCondition } from '../core/stop-condition.ts'
import type { Clock } from '../ports/clock.ts'
import type { Attention } from './attention.ts'

export class WorkTime {
  readonly #clock: Clock
  readonly #attention: Attention
  readonly #before: number
  #since: number
  #deadline: number | null = null

  /** `before` is what former advances took, in milliseconds. */
  constructor(clock: Clock, attention: Attention, before: number) {
    this.#clock = clock
    this.#attention = attention
    this.#before = before
    this.#since = clock.now()
  }

  /** Milliseconds, up to now. */
  get activeMs(): number {
    const active = this.#before + Math.max(this.#clock.now() - this.#since, 0)
    // A timer may be a moment early.
    return this.#attention.isLate ? Math.max(active, this.#deadline ?? 0) : active
  }

  /** What is under way is told to stop when the time is up. */
  watch(conditions: readonly StopCondition[]): void {
    this.#deadline = deadlineOf(conditions)
    if (this.#deadline !== null) this.#attention.stopAfter(this.#clock, Math.max(this.#deadline - this.activeMs, 0))
  }

  /** Waits for a person: the time that it takes does not count. */
  async waiting<T>(work: () => Promise<T>): Promise<T> {
    this.#attention.stopNever()
    const began = this.#clock.now()
    try {
      return await work()
    } finally {
      this.#since += this.#clock.now() - began
      if (this.#deadline !== null) this.#attention.stopAfter(this.#clock, Math.max(this.#deadline - this.activeMs, 0))
    }
  }
}

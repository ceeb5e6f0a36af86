/** How long a run was worked on, over all its advances, by a clock that nobody sets. Waiting does not count (docs/design/runs.md#stop-conditions). */
import { deadlineOf, type StopCondition } from '../../core/run/stop-condition.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunSignals } from './run-signals.ts'

export class WorkTime {
  readonly #clock: Clock
  readonly #signals: RunSignals
  readonly #before: number
  /** By the steady clock. */
  #since: number
  #deadline: number | null = null

  /** `before` is what former advances took, in milliseconds. */
  constructor(clock: Clock, signals: RunSignals, before: number) {
    this.#clock = clock
    this.#signals = signals
    this.#before = before
    this.#since = clock.steady()
  }

  /** Milliseconds, up to now. */
  get activeMs(): number {
    const active = this.#before + this.#clock.steady() - this.#since
    // A timer may be a moment early.
    return this.#signals.isLate ? Math.max(active, this.#deadline ?? 0) : active
  }

  /** Milliseconds until the time is up; infinite without a limit. */
  get leftMs(): number {
    return this.#deadline === null ? Number.POSITIVE_INFINITY : Math.max(this.#deadline - this.activeMs, 0)
  }

  /**
   * Stops work under way when its time is up. The time began when the run had been worked on for `begun` milliseconds. A
   * later beginning gives new time.
   */
  watch(conditions: readonly StopCondition[], begun: number): void {
    const deadline = deadlineOf(conditions, begun)
    if (deadline === this.#deadline) return
    this.#signals.renew()
    this.#deadline = deadline
    this.#stopInTime()
  }

  #stopInTime(): void {
    if (this.#deadline !== null) this.#signals.stopAfter(this.#clock, this.leftMs)
  }

  /** Waits for a person: the time that it takes does not count, and it may begin when the time for work is over. */
  async waiting<T>(work: () => Promise<T>): Promise<T> {
    this.#signals.stopNever()
    if (this.#signals.isLate) this.#signals.renew()
    const began = this.#clock.steady()
    try {
      return await work()
    } finally {
      this.#since += this.#clock.steady() - began
      this.#stopInTime()
    }
  }
}

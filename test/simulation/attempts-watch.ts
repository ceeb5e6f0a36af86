import { must } from './broken.ts'
import type { Attempt } from './ledger.ts'
import type { Plot } from './plot.ts'

/** The tools that run at this moment. */
export class AttemptsWatch {
  readonly #plot: Plot
  readonly #running = new Set<Attempt>()

  constructor(plot: Plot) {
    this.#plot = plot
  }

  /** P3: no two attempts of one call at once. An owner elsewhere that sleeps past its lease cannot be known to live. */
  begins(attempt: Attempt): void {
    const { thread_id, call_id } = attempt
    const beside = [...this.#running].find(
      each => each.thread_id === thread_id && each.call_id === call_id && each.life.state !== 'dead',
    )
    const { stalls, failures, locks } = this.#plot.troubles
    const mayBeUnknown = !this.#plot.isOneMachine && stalls + failures + locks > 0
    must(
      !beside || mayBeUnknown,
      'at once',
      () => `${call_id} begins in ${attempt.life.name}, and runs in ${beside?.life.name}`,
    )
    this.#running.add(attempt)
  }

  ends(attempt: Attempt): void {
    this.#running.delete(attempt)
  }

  /** In the advance that has this signal. */
  within(signal: AbortSignal): Attempt[] {
    return [...this.#running].filter(({ tale }) => tale?.signal === signal)
  }
}

import { SteadyBackoff } from '../../async/steady-backoff.ts'
import { messageOf } from '../../core/errors.ts'
import { isStoreGone } from '../../core/store-gone.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { WorkEvent } from './work-options.ts'

const LONGEST_WAIT_MS = 30_000

interface ChoresDeps {
  readonly clock: Clock
  /** True to throw failures instead of retrying. */
  readonly isOnce: boolean
  readonly tell: (event: WorkEvent) => void
}

/** A worker's jobs in addition to its runs. A failing job backs off by itself, and is reported once. */
export class Chores {
  readonly #deps: ChoresDeps
  readonly #backoff: SteadyBackoff

  constructor(deps: ChoresDeps) {
    this.#deps = deps
    this.#backoff = new SteadyBackoff(deps.clock, LONGEST_WAIT_MS)
  }

  /** Both resolve to when to do it next, by the steady clock. @throws if the store is gone for good */
  async do(name: string, work: () => Promise<number>): Promise<number> {
    if (this.#backoff.isWaiting(name)) return this.#backoff.waitingUntil(name)
    try {
      const next = await work()
      this.#backoff.forget(name)
      return next
    } catch (thrown) {
      if (this.#deps.isOnce || isStoreGone(thrown)) throw thrown
      this.#note(name, thrown)
      return this.#backoff.waitingUntil(name)
    }
  }

  /** Does it again after each failure, until it came to its end or the signal is aborted. Never rejects. */
  async until(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    for (let isOver = false; !isOver; isOver ||= signal.aborted) {
      try {
        await work()
        isOver = true
      } catch (thrown) {
        const waitMs = this.#note('dispatcher', thrown)
        await this.#deps.clock.sleep(waitMs, signal).catch(() => {})
      }
    }
  }

  /** A failure for a reason that was reported already is not reported again. */
  #note(name: string, error: unknown): number {
    const isKnown = this.#backoff.hasFailedWith(messageOf(error))
    const { waitMs } = this.#backoff.note(name, error)
    const { clock, tell } = this.#deps
    if (!isKnown) tell({ kind: 'work.failed', error, retry_at: isoTime(clock.now() + waitMs) })
    return waitMs
  }
}

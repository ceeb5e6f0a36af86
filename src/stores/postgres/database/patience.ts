import { setTimeout as sleep } from 'node:timers/promises'
import { isUndoneByOthers } from './database-errors.ts'
import { isPassing, isUnreachable } from './lost-connections.ts'

/** A database that restarts is back by then. */
const PATIENCE_MS = 30_000
const MOST_REST_MS = 1_000
/** Nothing was asked for so long: it may have been back meanwhile. */
const FORGOTTEN_MS = 10_000

/**
 * How long a database that is away is waited for. All that is asked of one pool waits for the same outage, so that a run that
 * gives up does not wait once more for each thing that it leaves in order.
 */
export class Patience {
  readonly #ms: number
  #away: { readonly since: number; failed: number } | null = null

  constructor(ms: number = PATIENCE_MS) {
    this.#ms = ms
  }

  /** Tries again while what it threw passes, up to 30 s. `work` must be safe to repeat if it throws such an error. */
  async with<T>(work: () => Promise<T>, passes: (thrown: unknown) => boolean = isPassing): Promise<T> {
    const begun = performance.now()
    for (let rest = 50; ; rest = Math.min(rest * 2, MOST_REST_MS)) {
      try {
        const result = await work()
        this.#away = null
        return result
      } catch (thrown) {
        const since = isUnreachable(thrown) ? this.#awaySince(begun) : begun
        if (!passes(thrown) || performance.now() - since > this.#ms) throw thrown
        await sleep(rest)
      }
    }
  }

  #awaySince(begun: number): number {
    const now = performance.now()
    if (this.#away === null || now - this.#away.failed > FORGOTTEN_MS) this.#away = { since: begun, failed: now }
    this.#away.failed = now
    return this.#away.since
  }
}

const MOST_TRIES = 10

/** An attempt that other transactions undid has changed nothing, and is tried again; so is one that `mayRepeat` names. */
export async function untilDone<T>(
  attempt: () => Promise<T>,
  mayRepeat: (thrown: unknown) => boolean = () => false,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (thrown) {
      if (tries === MOST_TRIES || !(isUndoneByOthers(thrown) || mayRepeat(thrown))) throw thrown
    }
  }
}

import { messageOf } from '../../core/errors.ts'

/** Waits between two tries, in milliseconds: each twice as long as the one before. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 5 * 60_000

interface Backoff {
  readonly tries: number
  /** Milliseconds since 1970. */
  readonly retryAt: number
  readonly message: string
}

/** The runs that could not be advanced lately, and when each is tried again. */
export class RunBackoff {
  readonly #all = new Map<string, Backoff>()

  get ids(): readonly string[] {
    return [...this.#all.keys()]
  }

  /** True if it is news: the first failure, or one with other words. */
  note(
    id: string,
    { thrown, now }: { readonly thrown: unknown; readonly now: number },
  ): { readonly isNews: boolean; readonly retryAt: number } {
    const before = this.#all.get(id)
    const tries = (before?.tries ?? 0) + 1
    const message = messageOf(thrown)
    const retryAt = now + waitAfter(tries)
    this.#all.set(id, { tries, retryAt, message })
    return { isNews: before?.message !== message, retryAt }
  }

  forget(id: string): void {
    this.#all.delete(id)
  }

  /** When the next one after `now` is to be tried again; infinity if there is none. */
  nextAfter(now: number): number {
    return Math.min(...[...this.#all.values()].map(({ retryAt }) => retryAt).filter(time => time > now))
  }
}

export function waitAfter(tries: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS)
}

import { messageOf } from '../../core/errors.ts'

/** Waits between two tries, in milliseconds: each twice as long as the one before. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 5 * 60_000

export interface Backoff {
  readonly thread_id: string
  /** The newest `seq` that was there when it failed; `null` where even that is not known. */
  readonly seq: number | null
  readonly tries: number
  /** Milliseconds since 1970. */
  readonly retryAt: number
  readonly message: string
}

type Failure = Pick<Backoff, 'thread_id' | 'seq'> & { readonly thrown: unknown; readonly now: number }

/** What could not be done lately, by the run's id, and when it is tried again. */
export class RunBackoff {
  readonly #all = new Map<string, Backoff>()

  /** True where it is news: the first failure, or one with other words. */
  note(id: string, { thread_id, seq, thrown, now }: Failure): { readonly isNews: boolean; readonly retryAt: number } {
    const before = this.#all.get(id)
    const tries = (before?.tries ?? 0) + 1
    const message = messageOf(thrown)
    const retryAt = now + waitAfter(tries)
    this.#all.set(id, { thread_id, seq, tries, retryAt, message })
    return { isNews: before?.message !== message, retryAt }
  }

  get(id: string): Backoff | undefined {
    return this.#all.get(id)
  }

  /** Of all others nothing is kept: they came to rest meanwhile. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#all.keys()) if (!ids.has(id)) this.#all.delete(id)
  }

  /** When the next one after `now` is to be tried again; infinity where none is. */
  nextAfter(now: number): number {
    return Math.min(...[...this.#all.values()].map(({ retryAt }) => retryAt).filter(time => time > now))
  }
}

export function waitAfter(tries: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS)
}

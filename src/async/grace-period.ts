import type { Clock } from '../ports/clock.ts'

/** A time limit that begins now. */
export interface GracePeriod extends Disposable {
  /** Resolves when the time is up, or when the period is disposed of. */
  readonly over: Promise<void>
}

export function gracePeriod(clock: Clock, milliseconds: number): GracePeriod {
  const enough = new AbortController()
  const over = clock.sleep(milliseconds, enough.signal).catch(() => {})
  return { over, [Symbol.dispose]: () => enough.abort() }
}

/** True if `work` came to its end within the grace period; a failure is an end too. */
export async function endsWithin(clock: Clock, milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  using grace = gracePeriod(clock, milliseconds)
  const ended = (): true => true
  return await Promise.race([work.then(ended, ended), grace.over.then(() => false)])
}

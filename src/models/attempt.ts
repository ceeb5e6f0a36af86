/** One request to a provider, which ends early when the caller gives up or when nothing arrives for too long. */
export interface Attempt {
  /** The signal for the provider: aborted when the attempt is over early. */
  readonly signal: AbortSignal
  /** Waits for `work`, but no longer than the attempt lasts; then rejects with the reason, at once. */
  race<T>(work: PromiseLike<T>): Promise<T>
  /** Something arrived: the time limit starts again. */
  alive(): void
  end(): void
}

/** Longer than this, a timer of Node fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

export function startAttempt(caller: AbortSignal, timeoutMs: number, timedOut: () => Error): Attempt {
  const controller = new AbortController()
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => {})
  const stop = (reason: unknown): void => {
    controller.abort(reason)
    over.reject(reason)
  }
  const abort = (): void => stop(caller.reason)
  if (caller.aborted) abort()
  else caller.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(() => stop(timedOut()), Math.min(timeoutMs, LONGEST_TIMER))
  return {
    signal: controller.signal,
    // The end wins: what had arrived before it is no longer wanted.
    race: work => Promise.race([over.promise, work]),
    alive: () => void timer.refresh(),
    end() {
      clearTimeout(timer)
      caller.removeEventListener('abort', abort)
    },
  }
}

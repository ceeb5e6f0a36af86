/** Time as the runtime sees it; tests turn it by hand. */
export interface Clock {
  /**
   * Milliseconds since 1970, UTC: for dates. People and other machines set this clock, so it cannot measure durations.
   */
  now(): number
  /**
   * Milliseconds since this machine started, by a clock that nobody sets: for durations. Two processes of one start of
   * one machine read the same.
   */
  steady(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

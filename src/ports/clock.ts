/** Time as the runtime sees it; tests turn it by hand. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

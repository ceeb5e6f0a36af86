/** What is known of a write of which a store threw an error. `no`: nothing of it is there, and nothing will be. */
export type Written = 'no' | 'unknown'

/** True if the store says that nothing was written, and that it may be well a moment later: the write may be made again. */
export function mayWriteAgain(thrown: unknown): boolean {
  if (!(thrown instanceof Error && 'written' in thrown && 'retryable' in thrown)) return false
  return thrown.written === 'no' && thrown.retryable === true
}

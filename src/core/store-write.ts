/** What is known of a write of which a store threw an error. `no`: nothing of it is there, and nothing will be. */
export type Written = 'no' | 'unknown'

/** True if the store says that nothing was written, and that it may be well a moment later: the write may be made again. */
export function mayWriteAgain(thrown: unknown): boolean {
  return isOfStore(thrown) && !isUnknown(thrown)
}

/** True if whatever is asked of the store next may fail alike: it is locked, or away. */
export function isOfStore(thrown: unknown): boolean {
  return thrown instanceof Error && 'retryable' in thrown && 'written' in thrown && thrown.retryable === true
}

/** True if the write may have happened although it threw. */
export function isUnknown(thrown: unknown): boolean {
  return thrown instanceof Error && 'written' in thrown && thrown.written === 'unknown'
}

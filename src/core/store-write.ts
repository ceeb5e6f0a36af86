/** The outcome of a write for which a store threw an error. `no`: nothing was written, and nothing will be. */
export type Written = 'no' | 'unknown'

/**
 * True if the store reports that nothing was written, and that it may work a moment later: the write may be made again.
 */
export function mayWriteAgain(thrown: unknown): boolean {
  return isOfStore(thrown) && !isUnknown(thrown)
}

/** True if the next request to the store may fail alike: it is locked, or unreachable. */
export function isOfStore(thrown: unknown): boolean {
  return thrown instanceof Error && 'retryable' in thrown && 'written' in thrown && thrown.retryable === true
}

/** True if the write may have happened although it threw. */
export function isUnknown(thrown: unknown): boolean {
  return thrown instanceof Error && 'written' in thrown && thrown.written === 'unknown'
}

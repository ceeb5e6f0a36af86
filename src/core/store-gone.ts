import { HoldpointError } from './errors.ts'

/** The code of the error that a store throws if its files are gone. */
export const STORE_GONE = 'store_gone'
/** The code of the error that a store throws if it moved elsewhere: it can be read, and is not written any more. */
export const STORE_MOVED = 'store_moved'

const FOR_GOOD: ReadonlySet<string> = new Set([STORE_GONE, STORE_MOVED])

/** The files of the store were deleted or replaced, or it moved, while this process used it: no later try can be better. */
export function isStoreGone(thrown: unknown): boolean {
  return thrown instanceof HoldpointError && FOR_GOOD.has(thrown.code)
}

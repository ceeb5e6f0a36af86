import { HoldpointError } from './errors.ts'

/** The code of the error that a store throws if its files are gone. */
export const STORE_GONE = 'store_gone'

/** The files of the store were deleted or replaced while this process used them: no later try can be better. */
export function isStoreGone(thrown: unknown): boolean {
  return thrown instanceof HoldpointError && thrown.code === STORE_GONE
}

import { HoldpointError } from './errors.ts'

export const STORE_GONE = 'store_gone'

/** The files of the store were deleted or replaced while this process used them: no later try can be better. */
export function isStoreGone(thrown: unknown): boolean {
  return thrown instanceof HoldpointError && thrown.code === STORE_GONE
}

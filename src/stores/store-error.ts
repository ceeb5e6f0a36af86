import { HoldpointError } from '../core/errors.ts'
import type { Written } from '../core/store-write.ts'

interface StoreErrorOptions {
  readonly hint?: string | null
  readonly cause?: unknown
  /** Default: `no`, as each method of a store is one transaction. */
  readonly written?: Written
}

/** These pass by themselves: others held a lock, a disk was full for a moment, a database started anew. */
const PASSING: ReadonlySet<string> = new Set(['store_busy', 'store_unavailable', 'store_full', 'store_io'])

/** The store could not be read or written. Nothing was half written: each method of a store is one transaction. */
export class StoreError extends HoldpointError {
  readonly code: string
  /** Whether the whole of a write may be there all the same: the answer to its commit was lost. */
  readonly written: Written
  /** True if the same may go well a moment later. */
  readonly retryable: boolean

  constructor(code: string, message: string, { written = 'no', ...options }: StoreErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.written = written
    this.retryable = PASSING.has(code)
  }

  /** This failure, if the write may have happened. */
  asUnknown(): StoreError {
    const { code, message, hint, cause } = this
    return new StoreError(code, message, { hint, cause, written: 'unknown' })
  }
}

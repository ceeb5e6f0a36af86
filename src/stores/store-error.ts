import { HoldpointError } from '../core/errors.ts'

/** The store could not be read or written. Nothing was half written: each method of a store is one transaction. */
export class StoreError extends HoldpointError {
  readonly code: string

  constructor(code: string, message: string, options: { hint?: string | null; cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

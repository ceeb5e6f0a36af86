import { HoldpointError } from '../errors.ts'

/** When to try again: when the outbox chooses, after a pause that the receiver asked for, or never. */
export type Retry =
  | 'later'
  | { readonly after_ms: number }
  /** This message will not be taken. */
  | 'never'
  /** The receiver wants no more messages: nothing is sent to this address until someone retries. */
  | 'address_off'
  /** The receiver is no more, as a browser that was removed: there is nothing to do, and nobody failed. */
  | 'gone'

/** A channel could not send or change a message. The hold waits all the same, and can be decided elsewhere. */
export class NotSentError extends HoldpointError {
  readonly code: string
  readonly retry: Retry

  constructor(
    code: string,
    message: string,
    options: { readonly retry: Retry; readonly hint?: string; readonly cause?: unknown },
  ) {
    super(message, options)
    this.code = code
    this.retry = options.retry
  }
}

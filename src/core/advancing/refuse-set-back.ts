import { HoldpointError } from '../errors.ts'

/** The store was restored, or a standby without its last commits took over. */
export class StoreSetBackError extends HoldpointError {
  readonly code = 'store_set_back'

  constructor({ thread_id, newest, after }: Append) {
    super(
      `The journal of ${thread_id} ends at event ${newest}, and its writer has seen event ${after}: the store went back to an earlier moment.`,
      { hint: 'Stop all workers and servers, and go on as after a restore (docs/operations.md). Nothing was written.' },
    )
  }
}

interface Append {
  readonly thread_id: string
  /** The newest `seq` of the journal. */
  readonly newest: number
  /** The newest `seq` that its writer has seen. */
  readonly after: number
}

/**
 * P4: a writer that has seen more than the journal has would write after events that are gone. @throws
 * StoreSetBackError
 */
export function refuseSetBack(append: Append): void {
  if (append.newest < append.after) throw new StoreSetBackError(append)
}

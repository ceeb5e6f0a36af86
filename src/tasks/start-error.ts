import { HoldpointError, messageOf } from '../core/errors.ts'

/** A process could not be started. Nothing of it ran. */
export class StartError extends HoldpointError {
  readonly code = 'not_started'

  constructor(what: string, cause: unknown) {
    super(`${what}: ${messageOf(cause)}.`, { cause })
  }
}

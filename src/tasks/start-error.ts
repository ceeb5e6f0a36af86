import { HoldpointError } from '../core/errors.ts'

/** A process could not be started. Nothing of it ran. */
export class StartError extends HoldpointError {
  readonly code = 'not_started'

  constructor(message: string, cause: unknown) {
    super(`${message}.`, { cause })
  }
}

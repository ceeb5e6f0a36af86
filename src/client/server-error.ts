import { HoldpointError } from '../core/errors.ts'

/**
 * The server did not say what became of a request. `no_answer`: it may have been carried out. `server_unreachable`: a
 * look failed, so nothing changed. `server_failed`: the server, or a proxy before it, answered with a failure.
 */
export class ServerError extends HoldpointError {
  readonly code: 'no_answer' | 'server_unreachable' | 'server_failed'
  /** The HTTP status; `null` without an answer. */
  readonly status: number | null

  constructor(
    code: ServerError['code'],
    message: string,
    options: { readonly hint: string; readonly status?: number; readonly cause?: unknown; readonly details?: object },
  ) {
    const { status = null, details = {}, ...rest } = options
    super(message, { ...rest, details: { ...details } })
    this.code = code
    this.status = status
  }
}

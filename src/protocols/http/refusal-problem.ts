import type { RefusedError } from '../../core/errors.ts'
import type { Problem } from './problem.ts'
import { STATUS_OF } from './status-of.ts'

/** What a refusal of the face tells the caller. */
export function refusalProblem({ code, message, hint, details }: RefusedError): Problem {
  const more = Object.keys(details).length > 0 ? { more: { details } } : {}
  return { status: STATUS_OF[code], code, detail: message, hint, ...more }
}

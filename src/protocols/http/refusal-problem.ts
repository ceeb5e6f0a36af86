import { receiptRefusal, type UnrecordedReceipt } from '../../core/deciding/receipt.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { Problem } from './problem.ts'
import { STATUS_OF } from './status-of.ts'

/** A refusal of the face, for the caller. `action` is the step that the hint ends with, by name: a client may say it in words of its own. */
export function refusalProblem({ code, message, hint, details, action }: RefusedError): Problem {
  const { errors = null, ...others } = details
  const more = {
    ...(errors !== null && { errors }),
    ...(Object.keys(others).length > 0 && { details: others }),
    ...(action && { action }),
  }
  return { status: STATUS_OF[code], code, detail: message, hint, more }
}

/** Why a decision did not count, with the one that does as `winner`. */
export function receiptProblem(receipt: UnrecordedReceipt): Problem {
  const problem = refusalProblem(receiptRefusal(receipt))
  return 'winner' in receipt ? { ...problem, more: { ...problem.more, winner: receipt.winner } } : problem
}

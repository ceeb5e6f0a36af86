import { receiptRefusal, type UnrecordedReceipt } from '../../core/deciding/receipt.ts'
import { HoldpointError, type RefusedError } from '../../core/errors.ts'
import { isOfStore, isUnknown } from '../../core/store-write.ts'
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

/**
 * Each state passes by itself, or once an operator frees space. Messages of the store may name files, so only the log
 * has them.
 */
const STATES: Readonly<Record<string, { readonly status: number; readonly detail: string }>> = {
  store_full: { status: 507, detail: 'The disk of the store is full.' },
  store_busy: { status: 503, detail: 'The store is locked by others.' },
  store_io: { status: 503, detail: 'The disk of the store fails.' },
  store_unavailable: { status: 503, detail: 'The store does not answer.' },
}

/** Why a request could not be carried out for want of the store; `null` for any other failure. */
export function storeProblem(thrown: unknown): Problem | null {
  if (!(thrown instanceof HoldpointError) || !isOfStore(thrown)) return null
  const { status, detail } = STATES[thrown.code] ?? { status: 503, detail: 'The store does not answer.' }
  const written = isUnknown(thrown) ? 'What was asked may have been written.' : 'Nothing was written.'
  return { status, code: thrown.code, detail: `${detail} ${written}`, hint: AGAIN, headers: { 'retry-after': '5' } }
}

const AGAIN = 'Send it again a little later, with the same Idempotency-Key or decision_id.'

/** Milliseconds for which a failed write counts: after that, requests may write again and show the new state. */
const COUNTS_MS = 30_000

/** How the writes of a server go, for its probes. */
export class WriteHealth {
  readonly #steady: () => number
  #failed: { readonly code: string; readonly at: number } | null = null

  constructor(steady: () => number) {
    this.#steady = steady
  }

  /** `null`: it went well. */
  note(code: string | null): void {
    this.#failed = code === null ? null : { code, at: this.#steady() }
  }

  /** The code of the failure of the newest write; `null` if it went well, or failed a while ago. */
  get failure(): string | null {
    return this.#failed !== null && this.#steady() - this.#failed.at < COUNTS_MS ? this.#failed.code : null
  }
}

/** From a problem of the server (RFC 9457) to the error that the face has for it. */
import { type HoldpointError, RefusedError } from '../core/errors.ts'
import { actionText, type NextAction, PLAIN_WORDS } from '../core/next-action.ts'
import type { RefusalCode } from '../core/refusal-codes.ts'
import { ServerError } from './server-error.ts'

/** An answer that is no success. `winner` and `hold` come with what became of a decision. */
export interface ProblemDocument {
  readonly code: string
  readonly detail: string
  readonly hint?: string | null
  readonly details?: Readonly<Record<string, unknown>>
  readonly action?: NextAction
  readonly errors?: readonly { readonly path: string; readonly message: string }[]
  readonly hold?: unknown
  readonly winner?: unknown
}

/** A refusal as a list of receipts has it. */
export interface RefusalDocument {
  readonly code: string
  readonly message: string
  readonly hint: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly action?: NextAction
}

const FAILURE = 500
const UNAVAILABLE = 503

/** `null` if it is none: a proxy wrote it, or something that is no Holdpoint. */
export async function readProblem(response: Response): Promise<ProblemDocument | null> {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return null
  const problem = (await response.json()) as Partial<ProblemDocument>
  return typeof problem.code === 'string' && typeof problem.detail === 'string' ? (problem as ProblemDocument) : null
}

export function errorIn(response: Response, problem: ProblemDocument | null): HoldpointError {
  const { status, url } = response
  if (problem === null)
    return new ServerError('server_failed', `${url} answered with ${status}, but not as a Holdpoint server does.`, {
      hint: 'Look whether the address is that of `holdpoint serve`, and whether a proxy before it works.',
      status,
    })
  if (status >= FAILURE && status !== UNAVAILABLE)
    return new ServerError('server_failed', `${url} answered with ${status}: ${problem.detail}`, {
      hint: 'The log of the server tells more. Look how things stand before you try again.',
      status,
    })
  const { code, detail: message, hint = null, errors } = problem
  const details = { ...problem.details, ...(errors && { errors }) }
  return refusalOf({ code, message, hint, details, ...(problem.action && { action: problem.action }) })
}

/** The code may be of a newer server, and unknown here. */
export function refusalOf({ code, message, hint, details, action }: RefusalDocument): RefusedError {
  const step = action && Object.hasOwn(PLAIN_WORDS, action.do) ? action : null
  const advice = step ? withoutStep(hint, actionText(step, PLAIN_WORDS)) : hint
  return new RefusedError(code as RefusalCode, message, { hint: advice, action: step, details })
}

/** The hint ends with the step, which is added in the words of each host. */
function withoutStep(hint: string | null, step: string): string | null {
  return hint?.endsWith(step) ? hint.slice(0, -step.length).trim() || null : hint
}

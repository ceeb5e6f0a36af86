import { RefusedError } from '../../core/errors.ts'

/** Why a request is not answered as it was meant (RFC 9457). */
export interface Problem {
  readonly status: number
  /** Stable, for programs. */
  readonly code: string
  /** What happened, for people. */
  readonly detail: string
  /** What to do next. */
  readonly hint?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export function isProblem(value: object): value is Problem {
  return 'status' in value && 'detail' in value
}

/** `application/problem+json`. The `code` tells problems apart, so there is no page for each `type`. */
export function problemResponse({ status, code, detail, hint, headers = {} }: Problem): Response {
  const body = { type: 'about:blank', status, code, detail, ...(hint && { hint }) }
  return Response.json(body, { status, headers: { ...headers, 'content-type': 'application/problem+json' } })
}

const NOT_FOUND = 404
/** The request contradicts the state of things. */
const CONFLICT = 409

/** What a thrown refusal tells the caller; `null` for a failure, of which only the log tells. */
export function problemOf(thrown: unknown): Problem | null {
  if (!(thrown instanceof RefusedError)) return null
  const status = thrown.code.startsWith('unknown_') ? NOT_FOUND : CONFLICT
  return { status, code: thrown.code, detail: thrown.message, hint: thrown.hint }
}

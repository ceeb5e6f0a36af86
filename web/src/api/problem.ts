/** Why the server refused, in its words (RFC 9457). Nothing was changed. */
export interface ProblemDocument {
  readonly status: number
  /** Stable, for programs. */
  readonly code: string
  /** The reason, for people. */
  readonly detail: string
  /** The next step. */
  readonly hint?: string
  /** The places that do not fit. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[]
  readonly [more: string]: unknown
}

export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly problem: ProblemDocument

  constructor(problem: ProblemDocument) {
    super(problem.detail)
    this.problem = problem
  }
}

/** No answer was received. A request that changes something may or may not have been carried out. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(cause: unknown) {
    super('The server cannot be reached.', { cause })
  }
}

export function codeOf(thrown: unknown): string | null {
  return thrown instanceof ProblemError ? thrown.problem.code : null
}

/** Why it was not done, in the server's words if there are any. */
export function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof ProblemError)) return 'The server cannot be reached. Try it again.'
  const { detail, hint } = thrown.problem
  return hint === undefined ? detail : `${detail} ${hint}`
}

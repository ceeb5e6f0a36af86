import { HoldpointError, messageOf } from '../../../core/errors.ts'

export type FindingStatus = 'ok' | 'warn' | 'fail'

/** The result of one check. */
export interface Finding {
  readonly check: string
  readonly status: FindingStatus
  readonly message: string
  /** The next step; `null` if there is nothing to do. */
  readonly hint: string | null
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, hint: null }
}

export function warn(check: string, message: string, hint: string | null): Finding {
  return { check, status: 'warn', message, hint }
}

export function fail(check: string, message: string, hint: string | null): Finding {
  return { check, status: 'fail', message, hint }
}

/** An error that came while something was looked at. */
export function failure(check: string, thrown: unknown): Finding {
  return fail(check, messageOf(thrown), thrown instanceof HoldpointError ? thrown.hint : null)
}

/** P6: while the provider of its model takes no requests, a run that nobody watches waits for it without a process. */
import type { Amount } from '../../count.ts'
import { isoTime } from '../../text/iso-time.ts'

/** Why a run waits for the provider of its model, and until when. Times are ISO. */
export interface Outage {
  /** The code and the message of the newest failure. */
  readonly code: string
  readonly message: string
  /** When the model first did not answer. */
  readonly since: string
  /** How many times in a row the run was taken up for it, and the model did not answer. */
  readonly failures: Amount
  /** When the model is asked again. */
  readonly retry_at: string
}

interface Failed {
  readonly code: string
  readonly message: string
  /** The wait that the provider asked for, in milliseconds; `null` if it named none. */
  readonly retryAfterMs: number | null
}

interface Terms {
  readonly now: number
  /** How long the run waits in all, in milliseconds. */
  readonly giveUpAfterMs: number
  /** From 0 to 1: spreads runs that failed at the same moment. */
  readonly spread: number
}

const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 5 * 60_000
/** A provider that names a longer time is asked before it. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000

/** The outage with one more failure; `null` if the run has waited long enough. */
export function outageAfter(
  before: Outage | null,
  failed: Failed,
  { now, giveUpAfterMs, spread }: Terms,
): Outage | null {
  const { code, message } = failed
  const since = before ? Date.parse(before.since) : now
  const failures = (before?.failures ?? 0) + 1
  const usual = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
  const asked = Math.min(failed.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)
  // Half of the usual wait is spread; never before the time that the provider named.
  const retryAt = Math.round(now + Math.max(asked, usual / 2) + (usual / 2) * spread)
  if (retryAt - since > giveUpAfterMs) return null
  return { code, message, since: isoTime(since), failures, retry_at: isoTime(retryAt) }
}

/** As a sentence for people. */
export function outageWords({ message }: Outage): string {
  return `The provider of the model takes no requests now, and the run waits for it. ${message}`
}

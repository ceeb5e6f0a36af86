/** P6: whether a run waits for the provider of its model without a process. */
import { spreadOf } from '../../core/advancing/spread-of.ts'
import { isModelError, type ModelError } from '../../core/errors.ts'
import { type Outage, outageAfter } from '../../core/run/outcome/outage.ts'
import type { RunSession } from '../session/run-session.ts'

/** In milliseconds, where nobody waits for the run. */
const USUAL_PATIENCE_MS = 24 * 3_600_000

/** `null` if asking again cannot help, or the run was patient for long enough. */
export function outageOf({ run, runtime, waitsForModel }: RunSession, thrown: ModelError): Outage | null {
  if (!waitsForModel || !thrown.retryable) return null
  const { give_up_after_seconds: seconds } = run.profile.model_settings ?? {}
  // The time of the next request is told beside the message, in the zone of the reader.
  const { code, retryAfterMs, cause } = thrown
  const message = code === 'retry_later' && isModelError(cause) ? cause.message : thrown.message
  return outageAfter(
    run.outage,
    { code, message, retryAfterMs },
    {
      now: runtime.clock.now(),
      giveUpAfterMs: seconds === undefined ? USUAL_PATIENCE_MS : seconds * 1000,
      spread: spreadOf(`${run.id} ${run.outage?.failures ?? 0}`),
    },
  )
}

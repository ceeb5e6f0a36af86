import { isModelError, ModelError } from '../../core/errors.ts'
import { nextModel } from '../../core/run/outcome/outage.ts'
import type { InferenceParameters } from '../../ports/agent/plugin.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunSession } from '../session/run-session.ts'

/** Waits from one try to the next, unless the provider names a time. */
const BACKOFF_MS: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 29_000]
/** In milliseconds, where somebody waits for the run. */
const USUAL_PATIENCE_MS = 60_000
/** A model that another one can stand in for is asked so often. */
const USUAL_TRIES_BEFORE_NEXT = 3
/** A run that may wait without a process lets go of it sooner. */
export const PATIENCE_BEFORE_REST_MS = 5_000

interface Patience {
  /** Milliseconds of all waits together. */
  readonly patience: number
  /** Default: as many tries as the waits allow. */
  readonly mostTries?: number
}

interface Asking<T> extends Patience {
  ask(): Promise<T>
  /** Called after each try that failed. */
  failed?(willRetry: boolean): void
}

/** Asks until there is an answer, a retry cannot help, or the tries are used up. @throws what the last try threw */
export async function askPatiently<T>(
  session: Pick<RunSession, 'time' | 'runtime' | 'tell'>,
  signal: AbortSignal,
  { patience, mostTries = BACKOFF_MS.length + 1, ask, failed = () => {} }: Asking<T>,
): Promise<T> {
  for (let tries = 0, waited = 0; ; tries += 1) {
    try {
      return await ask()
    } catch (thrown) {
      const left = Math.min(patience - waited, session.time.leftMs)
      const wait_ms = tries + 1 < mostTries ? waitBefore(thrown, tries, left) : null
      failed(wait_ms !== null)
      if (wait_ms === null) throw orRetryLater(thrown, left, session.runtime.clock)
      const { code, message } = thrown as ModelError
      session.tell({ kind: 'model.retrying', data: { attempt: tries + 2, wait_ms, code, message } })
      await session.runtime.clock.sleep(wait_ms, signal)
      waited += wait_ms
    }
  }
}

/** Milliseconds until the model is asked again; `null` if that cannot help. */
function waitBefore(thrown: unknown, tries: number, patience: number): number | null {
  const wait = BACKOFF_MS[tries]
  if (!isModelError(thrown) || !thrown.retryable || wait === undefined) return null
  const wanted = thrown.retryAfterMs ?? wait
  return wanted > patience ? null : wanted
}

/** A run waits for a provider no longer than it may still be worked on. */
export function patienceOf(
  session: Pick<RunSession, 'waitsForModel' | 'run'>,
  { giveUpAfterSeconds, fallbackModels, fallbackAfter, model }: InferenceParameters,
): Patience {
  const mostTries = fallbackAfter ?? USUAL_TRIES_BEFORE_NEXT
  if (nextModel(fallbackModels ?? [], typeof model === 'string' ? model : null) !== null)
    return { patience: sumOf(BACKOFF_MS.slice(0, mostTries - 1)), mostTries }
  const wanted = giveUpAfterSeconds == null ? USUAL_PATIENCE_MS : giveUpAfterSeconds * 1000
  if (!session.waitsForModel) return { patience: wanted }
  // In an outage one try is enough to know.
  return { patience: session.run.outage ? 0 : Math.min(wanted, PATIENCE_BEFORE_REST_MS) }
}

function sumOf(waits: readonly number[]): number {
  return waits.reduce((sum, wait) => sum + wait, 0)
}

const LONGEST_RETRY_MS = 365 * 24 * 3_600_000

/** A request before the time that the provider named would fail, so the caller learns that time. */
function orRetryLater(cause: unknown, patience: number, clock: Clock): unknown {
  if (!isModelError(cause) || !cause.retryable || (cause.retryAfterMs ?? 0) <= patience) return cause
  const ms = Math.min(cause.retryAfterMs ?? 0, LONGEST_RETRY_MS)
  const retry_at = new Date(clock.now() + ms).toISOString()
  return new ModelError('retry_later', `${cause.message} It takes the next request at ${retry_at}.`, {
    retryable: true,
    hint: `Go on after ${retry_at}: that is longer than a run waits for an answer.`,
    details: { retry_at },
    retryAfterMs: cause.retryAfterMs,
    cause,
  })
}

/**
 * The one way to the code of others: hooks of plugins, and what tools and their schemas say of a call before it runs. It
 * has a time limit, and its run can stop it. Nothing else is awaited here, so what is thrown here has one owner.
 */
import { isPromised } from '../../async/afterwards.ts'
import { HoldpointError } from '../../core/errors.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** How long what is told to stop may take to come to its end, in milliseconds. */
export const GRACE_MS = 10_000

/** What bounds the code of others. */
export interface Reach {
  readonly clock: Pick<Runtime['clock'], 'sleep'>
  /** How long one answer may take, in milliseconds. */
  readonly limitMs: number
  /** `null` outside of a run: then the time limit alone counts. */
  readonly stops: Stops | null
}

/** What stops a run. */
export interface Stops {
  readonly isStopped: boolean
  /** @throws the reason, if the run is to stop */
  throwIfStopped(): void
  /** Calls back once the run is to stop, at once if it already is. Listens until it is disposed of. */
  listen(tell: () => void): Disposable
}

export const USUAL_LIMIT_MS = 10_000

/** `stops` is that of a run, if there is one. */
export function reachOf({ clock, codeTimeoutMs = USUAL_LIMIT_MS }: Reaching, stops: Stops | null = null): Reach {
  return { clock, limitMs: codeTimeoutMs, stops }
}

export type Reaching = Pick<Runtime, 'clock' | 'codeTimeoutMs'>

export interface Question<T> {
  /** In words: `needsApproval of pay`. */
  readonly what: string
  readonly ask: () => T | PromiseLike<T>
  /** True if the answer still counts once all is told to stop; then it has the grace period. Default: false. */
  readonly evenIfStopped?: boolean
}

/** The code of others gave no answer in time. What it says later does not count. */
export class LateAnswerError extends HoldpointError {
  readonly code = 'late_answer'

  constructor(what: string, afterMs: number) {
    super(`${what} gave no answer within ${afterMs / 1000} seconds`, {
      hint: 'Let it answer sooner, or raise codeTimeoutSeconds of openHoldpoint.',
    })
  }
}

/** The answer, at once if it is there at once. @throws LateAnswerError, the reason of the stop, or what the code throws. */
export function reachForeign<T>(reach: Reach, question: Question<T>): T | Promise<T> {
  const { stops } = reach
  if (!question.evenIfStopped && stops?.isStopped) throw stopReason(stops)
  const said = question.ask()
  return isPromised(said) ? inTime(reach, question, said) : said
}

async function inTime<T>(
  { clock, limitMs, stops }: Reach,
  { what, evenIfStopped = false }: Question<T>,
  said: PromiseLike<T>,
): Promise<T> {
  const end = Promise.withResolvers<never>()
  const enough = new AbortController()
  const endAfter = (ms: number) =>
    clock.sleep(ms, enough.signal).then(
      () => end.reject(new LateAnswerError(what, ms)),
      // The answer came first.
      () => {},
    )
  const stop = () => {
    if (evenIfStopped) endAfter(GRACE_MS)
    else end.reject(stopReason(stops))
  }
  endAfter(limitMs)
  using _listening = stops?.listen(stop)
  try {
    return await Promise.race([said, end.promise])
  } finally {
    enough.abort()
  }
}

/** Reasons for which runs stopped. */
const REASONS = new WeakSet<object>()

/** True if a run was told to stop, which says nothing of the code that was reached. */
export function isStop(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && REASONS.has(thrown)
}

function stopReason(stops: Stops | null): unknown {
  try {
    return stops?.throwIfStopped()
  } catch (reason) {
    if (typeof reason === 'object' && reason !== null) REASONS.add(reason)
    return reason
  }
}

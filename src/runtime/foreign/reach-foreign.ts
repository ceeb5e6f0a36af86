/**
 * The one way to the code of others: hooks of plugins, and what tools and their schemas say of a call before it runs. It
 * has a time limit, and its run can stop it. Nothing else is awaited here, so what is thrown here has one owner.
 */
import { isPromised } from '../../async/afterwards.ts'
import { HoldpointError } from '../../core/errors.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** The grace period of foreign code that is asked to stop, in milliseconds. */
export const GRACE_MS = 10_000

/** The bounds of foreign code. */
export interface Reach {
  readonly clock: SteadyClock
  /** How long one answer may take, in milliseconds. */
  readonly limitMs: number
  /** `null` outside of a run: then the time limit alone counts. */
  readonly stops: Stops | null
}

type SteadyClock = Pick<Runtime['clock'], 'sleep' | 'steady'>

/** The stop signal of a run. */
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
  /** True if the answer still counts after a stop, within the grace period. Default: false. */
  readonly evenIfStopped?: boolean
}

/** Foreign code gave no answer in time. A later answer does not count. */
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
  const answer = question.ask()
  return isPromised(answer) ? inTime(reach, question, answer) : answer
}

async function inTime<T>(
  { clock, limitMs, stops }: Reach,
  { what, evenIfStopped = false }: Question<T>,
  answer: PromiseLike<T>,
): Promise<T> {
  const end = Promise.withResolvers<never>()
  const enough = new AbortController()
  const endAfter = (ms: number): void => {
    running(clock, ms, enough.signal).then(
      () => end.reject(new LateAnswerError(what, ms)),
      // The answer came first.
      () => {},
    )
  }
  const stop = () => {
    if (evenIfStopped) endAfter(GRACE_MS)
    else end.reject(stopReason(stops))
  }
  endAfter(limitMs)
  using _listening = stops?.listen(stop)
  try {
    return await Promise.race([answer, end.promise])
  } finally {
    enough.abort()
  }
}

/** If a timer is late by more than this, in milliseconds, the process itself was suspended. */
const STOOD_STILL_MS = 1_000

/**
 * Resolves once this process ran for `ms`. Foreign code cannot answer while the process is suspended, and is not to
 * blame.
 */
async function running(clock: SteadyClock, ms: number, signal: AbortSignal): Promise<void> {
  let due: number
  do {
    due = clock.steady() + ms
    await clock.sleep(ms, signal)
  } while (clock.steady() - due > STOOD_STILL_MS)
}

/** Reasons for which runs stopped. */
const REASONS = new WeakSet<object>()

/** True if the run was asked to stop; then the foreign code is not at fault. */
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

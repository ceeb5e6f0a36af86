/**
 * A look after every change, without busy polling.
 * C1  A change during a look causes another look.
 * C2  A burst of changes costs at most one look in `restMs`.
 * C3  A change that no watch reports, such as a killed process or an expired lease, is seen after `safetyMs`.
 */
import type { Clock } from '../ports/clock.ts'
import { Alarm } from './alarm.ts'
import { NEVER, onAbort } from './on-abort.ts'

/** Longer than a burst of commits takes, and shorter than a person notices. */
const REST_MS = 10
const SAFETY_MS = 1_000

export interface EachChangeOptions {
  readonly clock: Clock
  /** Each calls back when what it watches may have changed. */
  readonly watches: readonly ((onChange: () => void) => Disposable)[]
  /** Ends the looks. */
  readonly signal?: AbortSignal | undefined
  /** When the looks end, by the steady clock. Default: never. */
  readonly deadline?: number
  /** The shortest time from one look to the next, in milliseconds. Default: 10. */
  readonly restMs?: number
  /** The longest time from one look to the next, in milliseconds. Default: 1000. */
  readonly safetyMs?: number
}

/**
 * Yields at once and after each change: the body of the loop looks. The last look follows the deadline or the abort of
 * the signal; then the loop ends.
 */
export async function* eachChange(options: EachChangeOptions): AsyncGenerator<void, void, undefined> {
  const { clock, watches, signal = NEVER, deadline = Number.POSITIVE_INFINITY } = options
  const { restMs = REST_MS, safetyMs = SAFETY_MS } = options
  const alarm = new Alarm(clock)
  using watching = new DisposableStack()
  for (const watch of watches) watching.use(watch(() => alarm.ring()))
  watching.use(onAbort(signal, () => alarm.ring()))
  for (;;) {
    const isLast = signal.aborted || clock.steady() >= deadline
    alarm.reset()
    yield
    if (isLast) return
    const rest = Math.min(restMs, deadline - clock.steady())
    if (rest > 0) await clock.sleep(rest, signal).catch(() => {})
    await alarm.sleep(Math.min(safetyMs, deadline - clock.steady()), signal)
  }
}

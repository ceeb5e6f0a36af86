import { Alarm } from '../../async/alarm.ts'
import { isStoreGone } from '../../core/store-gone.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store/store.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'

/** A change without a notice is seen after so many milliseconds. */
const SAFETY_MS = 10_000
/** The shortest time from one look to the next, in milliseconds. */
const REST_MS = 10
/** Until the next look after one that failed. */
const RETRY_MS = 1_000

interface OutlastDeps {
  readonly clock: Clock
  readonly store: Pick<Store, 'run'>
  readonly holdpoint: Pick<Holdpoint, 'watch'>
}

/**
 * Resolves once the run has no reason to wait for its provider any more: its time has come, or a person sent a message,
 * cancelled it, or asked for something else. A store that fails for a while is asked again.
 */
export async function outlastOutage(deps: OutlastDeps, runId: string, signal: AbortSignal): Promise<void> {
  const { clock, holdpoint } = deps
  const alarm = new Alarm(clock)
  using _watch = holdpoint.watch(() => alarm.ring())
  while (!signal.aborted) {
    alarm.reset()
    const left = await timeLeft(deps, runId)
    if (left <= 0) return
    await clock.sleep(Math.min(left, REST_MS), signal).catch(() => {})
    await alarm.sleep(Math.min(left, SAFETY_MS), signal)
  }
}

/** Milliseconds until its model is asked again; 0 if it does not wait for it. */
async function timeLeft({ clock, store }: OutlastDeps, runId: string): Promise<number> {
  try {
    const run = await store.run(runId)
    if (run?.status !== 'running' || run.retry_at === null) return 0
    return Date.parse(run.retry_at) - clock.now()
  } catch (thrown) {
    if (isStoreGone(thrown)) throw thrown
    return RETRY_MS
  }
}

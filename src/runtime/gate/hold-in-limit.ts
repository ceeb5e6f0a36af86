import { hasPaused } from '../../core/journal/may-run.ts'
import type { Run } from '../../core/journal/thread.ts'
import { pausesUpFor } from '../../core/run/stop-condition.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { GateSession } from './gate-session.ts'
import { deny, holdCall, pausesForCall, type Suspending } from './hold-call.ts'

/**
 * Holds a call, unless the run has used up its pauses (docs/design/runs.md#stop-conditions). Then the call is refused
 * and the run ends. If a message waits, the run continues instead: the message restarts the count.
 */
export async function holdInLimit(session: GateSession, suspending: Suspending): Promise<Termination | null> {
  const { run } = session
  const end = pausesForCall(session, suspending) ? endOfPauses(run) : null
  if (end === null) {
    await holdCall(session, suspending)
    return null
  }
  const hasStarted = (run.step?.calls.get(suspending.call.id)?.attempt ?? 0) > 0
  if (run.queue.length > 0) return refused(session, suspending, hasStarted)
  // If another process writes meanwhile, it may be a message. The outcome of a call that ran must never be dropped.
  if (!hasStarted && session.underway.ids.size === 0) session.beginRest()
  refused(session, suspending, hasStarted)
  return end
}

export function pausesAreUsedUp(run: Run): boolean {
  return endOfPauses(run) !== null
}

/** Several holds of one step are one pause. */
function endOfPauses(run: Run): Termination | null {
  return hasPaused(run) ? null : pausesUpFor(run.profile.stop, run.counters.pauses)
}

function refused(session: GateSession, { call }: Suspending, hasStarted: boolean): null {
  const howFar = hasStarted ? 'it had started, and did not go on' : 'it did not run'
  const message = `this run has paused for people as often as it may for one message, so nobody was asked; ${howFar}.`
  deny(session, call, { code: 'TOOL_CALL_FORBIDDEN', message })
  return null
}

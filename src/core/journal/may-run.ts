import { type Release, releaseOf } from '../hold/release.ts'
import type { ToolCall } from '../run/tool-call.ts'
import type { Run } from './thread.ts'

/**
 * P1: a call runs where policy let it pass, or where somebody released it; and one that was cut off while it ran, for
 * recovery lets only those through that may run again.
 */
export function mayRun(run: Run, call: ToolCall): boolean {
  if (call.status === 'new') return call.allowed
  return call.status === 'running' || releaseOfCall(run, call)?.act === 'run'
}

/** What the decision on its hold makes of a call; `null` where it waits for none. */
export function releaseOfCall(run: Run, call: ToolCall): Release | null {
  const hold = call.status === 'resuming' && call.hold_id !== null ? run.holds.get(call.hold_id) : undefined
  return hold?.decision && hold.kind !== 'input' ? releaseOf(hold.kind, hold.decision, hold.resume_mode) : null
}

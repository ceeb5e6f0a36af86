import { type Release, releaseOf } from '../hold/release.ts'
import type { ToolCall } from '../run/tool-call.ts'
import type { Run } from './thread.ts'

/**
 * P1: a call runs if policy let it pass, or if a decision released it. A call that was cut off while it ran may run
 * again too: recovery holds those that must not.
 */
export function mayRun(run: Run, call: ToolCall): boolean {
  if (call.status === 'new') return call.allowed
  return call.status === 'running' || releaseOfCall(run, call)?.act === 'run'
}

/** The effect of the decision on a call's hold; `null` if it waits for none. */
export function releaseOfCall(run: Run, call: ToolCall): Release | null {
  const hold = call.status === 'resuming' && call.hold_id !== null ? run.holds.get(call.hold_id) : undefined
  return hold?.decision && hold.kind !== 'input' ? releaseOf(hold.kind, hold.decision, hold.resume_mode) : null
}

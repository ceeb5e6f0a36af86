import { type Release, releaseOf } from '../hold/release.ts'
import { isFinal, type ToolCall } from '../run/tool-call.ts'
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

/**
 * False if the journal has a request of people that the run has not followed yet: a cancel, or a message in place of
 * its calls. It is checked again after the commit of a claim, since such a request may have been written before it.
 */
export function mayBegin(run: Run): boolean {
  return run.cancel === null && run.ending === null && !isInterrupted(run) && !isSuperseded(run)
}

/** True if a message waits for which running work is to stop. */
export function isInterrupted({ queue }: Run): boolean {
  return queue.some(({ interrupt }) => interrupt)
}

/** True if a message waits that replaces the calls that have not begun. */
export function isSuperseded({ queue }: Run): boolean {
  return queue.some(({ supersede }) => supersede)
}

/** True if a call of the step under way was held. A call in doubt asks for no permission, so it is no pause. */
export function hasPaused(run: Run): boolean {
  return [...run.holds.values()].some(({ call_id, kind }) => call_id !== null && kind !== 'in_doubt')
}

/** The tools of calls that are not over: a decision on one must not be spent while its server is away. */
export function pendingTools(calls: Iterable<ToolCall> | undefined): readonly string[] {
  return [...(calls ?? [])].filter(({ status }) => !isFinal(status)).map(({ name }) => name)
}

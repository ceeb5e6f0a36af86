import type { RefusedError } from '../errors.ts'
import { runRefusals } from '../refusals/run-refusals.ts'

/** A run was to start from a state of the thread that is not its newest one. */
export function movedOn(threadId: string): RefusedError {
  return runRefusals.threadMovedOn(threadId)
}

/** A thread was to be exported as the caller saw it, and has moved on since. */
export function movedOnMeanwhile(threadId: string): RefusedError {
  return runRefusals.movedOnMeanwhile(threadId)
}

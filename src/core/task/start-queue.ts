/**
 * The start queue. An invocation that waits for its turn has a word of the queue in the place of its supervisor, so
 * each move out of the queue is a compare-and-set on that word.
 */
import type { Invocation } from './task.ts'

/** In the place of a supervisor: it waits until another task ends. */
export const WAITS_FOR_TURN = 'queue'

const TAKEN = `${WAITS_FOR_TURN}:`

/** In the place of a supervisor: that process took it from the queue, and is about to start its supervisor. */
export function takenBy(process: string): string {
  return `${TAKEN}${process}`
}

/** The process that took it from the queue; `null` if none did, or its supervisor has signed in. */
export function takerOf(supervisor: string | null): string | null {
  return supervisor?.startsWith(TAKEN) ? supervisor.slice(TAKEN.length) : null
}

export function waitsForTurn({ status, supervisor }: Pick<Invocation, 'status' | 'supervisor'>): boolean {
  return status === 'pending' && supervisor === WAITS_FOR_TURN
}

/** True if a process with this name may become the supervisor: none has signed in yet. */
export function isUnsupervised(supervisor: string | null): boolean {
  return supervisor === null || takerOf(supervisor) !== null
}

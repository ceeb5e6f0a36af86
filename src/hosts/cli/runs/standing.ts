import type { RunStatus } from '../../../core/journal/thread.ts'
import type { RunRow } from '../../../ports/store/runs.ts'

/** How a run stands, for people. `ready`: it could go on, and no process works on it. */
export type StandingWord = RunStatus | 'exported' | 'ready'

type Standing = Pick<RunRow, 'exported' | 'status' | 'lease'>

/**
 * `now` is in milliseconds since 1970: a lease that is over is that of a process which is gone. A server tells its owner
 * alone.
 */
export function standingOf({ exported, status, lease }: Standing, now: number): StandingWord {
  if (exported) return 'exported'
  const isWorkedOn = lease !== null && !(Date.parse(lease.until) <= now)
  return status === 'running' && !isWorkedOn ? 'ready' : status
}

/** For a list with such runs. */
export const READY_NOTE: string =
  'ready: no process works on it. A worker (`holdpoint work`) goes on with it, or `holdpoint -c RUN`.'

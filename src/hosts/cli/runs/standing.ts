import type { RunStatus } from '../../../core/journal/thread.ts'
import type { Lease, RunRow } from '../../../ports/store/runs.ts'
import { processLiveness } from '../../process/process-liveness.ts'

/** How a run stands, for people. `ready`: it could go on, and no process works on it. */
export type StandingWord = RunStatus | 'exported' | 'ready'

type Standing = Pick<RunRow, 'exported' | 'status'> & { readonly lease: Pick<Lease, 'owner'> | null }

/** A clock says of no process that it is gone. */
export function standingOf({ exported, status, lease }: Standing): StandingWord {
  if (exported) return 'exported'
  const isWorkedOn = lease !== null && !processLiveness().isGone(lease.owner)
  return status === 'running' && !isWorkedOn ? 'ready' : status
}

/** For a list with such runs. */
export const READY_NOTE: string =
  'ready: no process works on it. A worker (`holdpoint work`) goes on with it, or `holdpoint -c RUN`.'

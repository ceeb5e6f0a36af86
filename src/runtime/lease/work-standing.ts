import type { StartedWork, WorkStanding } from '../../core/doubt/started-work.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import { runsHere } from './running-tools.ts'

/** Whether what a call had started still runs. `key`: the idempotency key of the call. */
export function workStanding(liveness: Liveness, { what, process }: StartedWork, key: string): WorkStanding {
  const here = what === 'owner' ? runsHere(process, key) : null
  if (here !== null) return here ? 'running' : 'ended'
  return processStanding(liveness, process)
}

export function processStanding(liveness: Liveness, process: string): WorkStanding {
  if (liveness.isGone(process)) return 'ended'
  return liveness.isAlive(process) ? 'running' : 'unknown'
}

/** The same over every attempt of a call. */
export function idempotencyKey(threadId: string, callId: string): string {
  return `${threadId}/${callId}`
}

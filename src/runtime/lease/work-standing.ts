import type { StartedWork, WorkStanding } from '../../core/doubt/started-work.ts'
import type { Liveness, RunningTools } from '../../ports/process/liveness.ts'

/** Whether what a call had started still runs. `key`: the idempotency key of the call. */
export function workStanding(liveness: Liveness, { what, process }: StartedWork, key: string): WorkStanding {
  const here = what === 'owner' ? runsHere(liveness, process, key) : null
  if (here !== null) return here ? 'running' : 'ended'
  return processStanding(liveness, process)
}

export function processStanding(liveness: Liveness, process: string): WorkStanding {
  if (liveness.isGone(process)) return 'ended'
  return liveness.isAlive(process) ? 'running' : 'unknown'
}

/** The key is the same for every attempt of a call. */
export function idempotencyKey(threadId: string, callId: string): string {
  return `${threadId}/${callId}`
}

/**
 * The tools that run in this process. Tools of runs that were let go stay: nothing stops a promise that never settles.
 */
const HERE: RunningTools = new Map()

/** Until it is disposed of, the tool of this call runs for this owner of leases. `key`: its idempotency key. */
export function noteRunning({ self, running = HERE }: Liveness, key: string): Disposable {
  const keys = running.get(self) ?? new Set()
  running.set(self, keys.add(key))
  return { [Symbol.dispose]: () => void keys.delete(key) }
}

/** `null` if that owner runs no tools in this process. */
function runsHere({ running = HERE }: Liveness, owner: string, key: string): boolean | null {
  return running.get(owner)?.has(key) ?? null
}

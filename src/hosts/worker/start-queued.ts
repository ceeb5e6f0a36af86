/** Starts queued background agents from a worker when their turn is due, also if their starters were killed. */
import { eachChange } from '../../async/each-change.ts'
import { messageOf } from '../../core/errors.ts'
import { isStoreGone } from '../../core/store-gone.ts'
import type { TaskManager } from '../../ports/process/task-manager.ts'
import type { App } from '../compose/compose.ts'
import { systemClock } from '../process/system-clock.ts'

/** No event follows the kill of a supervisor, so the queue is polled. */
const SAFETY_MS = 5_000
const REST_MS = 50

/**
 * Until the signal is aborted; with `once` after one look. Without a limit nothing waits for its turn, but of several hosts
 * each settles its own tasks that were lost: the others cannot.
 */
export async function startQueued(
  { store, taskProcesses }: Pick<App, 'store' | 'taskProcesses'>,
  { signal, once }: { readonly signal: AbortSignal; readonly once: boolean },
): Promise<void> {
  const manager = await taskProcesses.manager()
  if (!manager.isLimited && store.hosts.self === null) return
  if (once) return look(manager)
  const watches = [(onChange: () => void) => store.tasks.watch(onChange)]
  const looks = eachChange({ clock: systemClock, watches, signal, restMs: REST_MS, safetyMs: SAFETY_MS })
  let lastFault: string | null = null
  for await (const _ of looks) {
    if (signal.aborted) return
    const fault = await look(manager).then(() => null, faultOf)
    if (fault !== null && fault !== lastFault) process.emitWarning(fault)
    lastFault = fault
  }
}

/** Lost tasks are settled first, which frees their places. */
async function look(manager: TaskManager): Promise<void> {
  await manager.tasks({ status: 'running', limit: 1 })
  await manager.startWaiting()
}

/** The worker itself reports a store that is gone. */
function faultOf(thrown: unknown): string | null {
  return isStoreGone(thrown) ? null : messageOf(thrown)
}

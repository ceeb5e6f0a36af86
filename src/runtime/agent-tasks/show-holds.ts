import type { Hold } from '../../core/hold/hold.ts'
import type { Requester } from '../../core/task/task-move.ts'
import type { AgentTasksDeps } from './agent-task.ts'

/** P10: puts on record who is about to see these open holds in full. */
export async function showHolds(
  { holdpoint }: AgentTasksDeps,
  holds: readonly Hold[],
  { by: to, surface }: Requester,
): Promise<void> {
  const open = holds.filter(({ status }) => status === 'open').map(({ id }) => id)
  if (open.length > 0) await holdpoint.audit.shown(open, { to, surface, inFull: true })
}

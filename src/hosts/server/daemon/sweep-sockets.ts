import type { agentSockets } from '../../compose/agents/agent-sockets.ts'
import type { ObservedStore } from '../../compose/compose.ts'
import { processLiveness } from '../../process/process-liveness.ts'

type Sockets = Pick<NonNullable<ReturnType<typeof agentSockets>>, 'sweep'>

/** Removes what killed processes left behind: their sockets, and the rows that say that they are there. */
export async function sweepSockets(
  { presences, daemons }: Pick<ObservedStore, 'presences' | 'daemons'>,
  sockets: Sockets,
): Promise<void> {
  const names = processLiveness()
  const kept = new Set<string>()
  for (const { task_id, invocation, process, endpoint } of await presences.list())
    if (names.isGone(process)) await presences.leave({ task_id, invocation })
    else kept.add(endpoint)
  const daemon = await daemons.find()
  if (daemon) kept.add(daemon.endpoint)
  await sockets.sweep(kept)
}

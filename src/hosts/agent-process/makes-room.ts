import { waitsForTurn } from '../../core/task/start-queue.ts'
import type { Task } from '../../core/task/task.ts'
import type { AgentPlace, AgentSite } from './place.ts'

const KIND = 'agent'

/**
 * True if an idle agent is to park at once, because another one waits for its place. It loses nothing by that, so one that
 * would end when its time is over parks too. Of several idle agents only as many do so as wait: the first ones by id.
 */
export async function makesRoom(
  { store }: Pick<AgentSite, 'store'>,
  { task_id }: Pick<AgentPlace, 'task_id'>,
  clients: number,
): Promise<boolean> {
  if (clients > 0) return false
  const running = await store.tasks.tasks({ kind: KIND, status: 'running' })
  const own = running.find(({ id }) => id === task_id)
  if (own === undefined) return false
  const waiting = (await waitingAgents(store)).filter(({ host }) => host === own.host)
  if (waiting.length === 0) return false
  // Each host has a queue of its own.
  const earlier = running.filter(({ id, host }) => host === own.host && id < task_id)
  const leaving = await Promise.all(earlier.map(task => leavesSoon(store, task)))
  return leaving.filter(Boolean).length < waiting.length
}

async function waitingAgents(store: AgentSite['store']): Promise<Task[]> {
  const pending = await store.tasks.tasks({ kind: KIND, status: 'pending' })
  return pending.filter(({ invocation }) => waitsForTurn(invocation))
}

/** It is idle too, or its process has just left: its place will be free. */
async function leavesSoon(store: AgentSite['store'], { id, subject }: Task): Promise<boolean> {
  if (subject === null) return false
  const presence = await store.presences.find(id)
  if (presence !== null && presence.clients > 0) return false
  const run = await store.run(subject)
  if (run?.status !== 'waiting') return false
  const open = await store.holds({ run_id: run.id, status: 'open' })
  return open.length === 1 && open[0]?.kind === 'input'
}

import { eachChange } from '../../async/each-change.ts'
import type { AgentStatus } from '../../core/fleet/agent-status.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { watchesOf } from '../agent-tasks/wait-for-tasks.ts'
import type { SeenAgent } from './look-at-agent.ts'

/** True for a status that stays unless somebody does something. */
// biome-ignore format: the table is the documentation
const RESTS: Record<AgentStatus, boolean> = {
  queued: false, spawning: false, running: false, killing: false,
  waiting: true, idle: true, parked: true, crashed: true,
  killed: true, done: true, failed: true,
}

/** Looks until the agent rests, or the signal is aborted. */
export async function waitForAgent(
  site: AgentTasksDeps,
  look: () => Promise<SeenAgent>,
  signal: AbortSignal,
): Promise<SeenAgent> {
  let seen = await look()
  if (RESTS[seen.summary.status]) return seen
  for await (const _ of eachChange({ clock: site.clock, watches: watchesOf(site), signal })) {
    seen = await look()
    if (RESTS[seen.summary.status]) break
  }
  return seen
}

import { eachChange } from '../../async/each-change.ts'
import { agentRest } from '../../core/fleet/agent-status.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { watchesOf } from '../agent-tasks/wait-for-tasks.ts'
import type { SeenAgent } from './look-at-agent.ts'

/** Looks until the agent rests, or the signal is aborted. */
export async function waitForAgent(
  site: AgentTasksDeps,
  look: () => Promise<SeenAgent>,
  signal: AbortSignal,
): Promise<SeenAgent> {
  const rests = agentRest(site.clock)
  let seen = await look()
  if (rests(seen.summary.status)) return seen
  for await (const _ of eachChange({ clock: site.clock, watches: watchesOf(site), signal })) {
    seen = await look()
    if (rests(seen.summary.status)) break
  }
  return seen
}

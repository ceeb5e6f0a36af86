import { eachChange } from '../../async/each-change.ts'
import type { RemoteHoldpoint } from '../../client/remote-holdpoint.ts'
import { agentRest } from '../../core/fleet/agent-status.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { Agents } from '../../runtime/face/agents.ts'
import { systemClock } from '../process/system-clock.ts'
import { watchChanges } from './watch-changes.ts'

/** An agent whose process comes or goes changes its status, and no record tells of it. */
const SAFETY_MS = 500

/** `agents.wait` by a look after each change at the server. */
export function remoteAgentWait(remote: RemoteHoldpoint): Agents['wait'] {
  return async (named, { signal }) => {
    const rests = agentRest(systemClock)
    let agent = await remote.agents.find(named)
    const watches = [(onChange: () => void) => watchChanges(remote, onChange)]
    if (rests(agent.status)) return agent
    for await (const _ of eachChange({ clock: systemClock, watches, signal, safetyMs: SAFETY_MS })) {
      agent = await remote.agents.find(agent.id)
      if (rests(agent.status)) break
    }
    return agent
  }
}

/** The events of a thread so far, from its stream. */
export async function remoteJournal(remote: RemoteHoldpoint, threadId: string): Promise<readonly JournalEvent[]> {
  const { seq } = await remote.thread(threadId)
  const events: JournalEvent[] = []
  if (seq === 0) return events
  for await (const event of remote.follow(threadId)) {
    if ('ephemeral' in event) continue
    events.push(event)
    if (event.seq >= seq) break
  }
  return events
}

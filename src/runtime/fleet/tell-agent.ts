import { type LastMessage, lastMessage } from '../../core/fleet/last-message.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import type { AgentSummary } from '../face/agents.ts'
import type { SeenAgent } from './look-at-agent.ts'

/** The newest events that are looked through: a few first, for most agents speak in each step. */
const WINDOWS: readonly number[] = [24, 200]

type Journals = Pick<AgentTasksDeps, 'store'>

/** An agent as callers are told of it: with what was said last in its session. */
export async function tellAgent(site: Journals, { summary }: Pick<SeenAgent, 'summary'>): Promise<AgentSummary> {
  return { ...summary, last_message: await lastMessageOf(site, summary) }
}

/** `null` if nothing was said in the newest events: a list reads no whole journal. */
async function lastMessageOf(
  { store }: Journals,
  { session_id, agent }: SeenAgent['summary'],
): Promise<LastMessage | null> {
  if (session_id === null) return null
  const newest = (await store.newest([session_id])).get(session_id) ?? 0
  let end = newest
  for (const size of WINDOWS) {
    const from = Math.max(0, newest - size)
    const found = lastMessage(await store.journal(session_id, from, end - from), agent)
    if (found !== null || from === 0) return found
    end = from
  }
  return null
}

import { RefusedError } from '../../core/errors.ts'
import { AGENT_IS_OVER } from '../../core/fleet/agent-status.ts'
import type { Content } from '../../core/message/part.ts'
import type { Task } from '../../core/task/task.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import type { Starter } from '../face/tasks.ts'
import { termsOf } from './agent-terms.ts'
import type { SeenAgent } from './look-at-agent.ts'
import { spawnAgent } from './spawn-agent.ts'

/** Looked through for the first message of a session. */
const FIRST_EVENTS = 20

/** The same definition, name and first message, in a new session. The old one keeps what it was. @throws RefusedError */
export async function respawnAgent(site: AgentTasksDeps, seen: SeenAgent, starter: Starter): Promise<Task> {
  const { task, row, summary } = seen
  if (!AGENT_IS_OVER[summary.status] || row === null) throw notOver(seen)
  const { profile } = await site.holdpoint.run(row.id)
  const { title, timeout_ms } = task
  const timeout_seconds = timeout_ms === null ? null : timeout_ms / 1000
  const input = await firstMessage(site, row.thread_id)
  return spawnAgent(site, { profile, input, title, timeout_seconds, ...termsOf(task) }, starter)
}

async function firstMessage({ store }: AgentTasksDeps, threadId: string): Promise<Content> {
  for (const event of await store.journal(threadId, 0, FIRST_EVENTS))
    if (event.kind === 'message.received') return event.data.content
  return ''
}

export function notOver({ row, summary: { id, name, status, because } }: SeenAgent): RefusedError {
  const is = row === null ? 'has no run in this store any more' : `is ${status}: ${because}`
  return new RefusedError('agent_not_over', `The agent ${name ?? id} ${is}. Nothing was done.`, {
    action: { do: status === 'crashed' ? 'resume_agent' : 'end_agent', id: name ?? id },
    details: { status },
  })
}

import type { AgentRemoval, AgentSummary, Agents, RemovedAgent } from '../../runtime/face/agents.ts'
import { removeWorktree } from './remove-worktree.ts'

type Fleet = Pick<Agents, 'find' | 'list' | 'remove'>

/**
 * Takes an agent that is over off the list, with its worktree. Its session stays, and so does all work in the worktree
 * unless it is discarded. @throws RefusedError; then nothing was removed
 */
export async function removeAgent(
  agents: Fleet,
  named: string,
  { discard, ...asker }: AgentRemoval,
): Promise<RemovedAgent> {
  const agent = await agents.find(named)
  const worktree = agent.worktree !== null && !(await isShared(agents, agent)) ? agent.worktree : null
  // The worktree is checked before the row is deleted: a refusal leaves both.
  if (worktree) await removeWorktree(worktree, { discard, dryRun: true })
  const removed = await agents.remove(agent.id, asker)
  if (worktree) await removeWorktree(worktree, { discard })
  return { agent: removed, worktree_removed: worktree !== null }
}

/** True if a respawned agent works in the worktree of its predecessor. */
async function isShared(agents: Fleet, agent: AgentSummary): Promise<boolean> {
  for (let after: string | null | undefined; after !== null; ) {
    const page = await agents.list(after === undefined ? {} : { after })
    if (page.agents.some(({ id, worktree }) => id !== agent.id && worktree?.path === agent.worktree?.path)) return true
    after = page.next
  }
  return false
}

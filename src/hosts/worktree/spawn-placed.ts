import type { AgentSummary, Agents, SpawnRequest } from '../../runtime/face/agents.ts'
import type { Starter } from '../../runtime/face/tasks.ts'
import { type MadeWorktree, makeWorktree } from './make-worktree.ts'
import { makeHomeOfWorktrees } from './orphaned-worktrees.ts'

export interface PlacedSpawn {
  readonly request: Omit<SpawnRequest, 'worktree'>
  readonly starter: Starter
  /** The agent gets a worktree of its own, which is kept below this directory; `null`: none. */
  readonly worktreeBelow: string | null
}

export interface PlacedAgent {
  readonly agent: AgentSummary
  readonly worktree: MadeWorktree | null
}

/** Starts an agent, in a worktree of its own if it is to have one. @throws RefusedError; then nothing was made or started */
export async function spawnPlaced(
  agents: Pick<Agents, 'spawn' | 'spawned'>,
  { request, starter, worktreeBelow }: PlacedSpawn,
): Promise<PlacedAgent> {
  const before = await agents.spawned(request, starter)
  if (before) return { agent: before, worktree: null }
  const worktree = worktreeBelow === null ? null : await makeWorktree(placeOf(request, worktreeBelow))
  const place = worktree && { path: worktree.path, branch: worktree.branch }
  const profile = { ...request.profile, ...placedIn(worktree) }
  try {
    const agent = await agents.spawn({ ...request, profile, worktree: place }, starter)
    if (agent.worktree?.path === worktree?.path) return { agent, worktree }
    // Another spawn with the same id was quicker.
    await worktree?.undo()
    return { agent, worktree: null }
  } catch (thrown) {
    await worktree?.undo()
    throw thrown
  }
}

function placeOf({ name, profile: { workdir } }: PlacedSpawn['request'], root: string) {
  return { workdir, home: makeHomeOfWorktrees(root), name: name ?? `agent-${crypto.randomUUID().slice(0, 8)}` }
}

/** P1: paths in the rules mean the same files of the project, in the copy that the agent works in. */
function placedIn(worktree: MadeWorktree | null): Partial<SpawnRequest['profile']> {
  return worktree === null ? {} : { workdir: worktree.workdir, rules_from: worktree.path }
}

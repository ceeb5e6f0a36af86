import { RefusedError } from '../../core/errors.ts'
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

type Spawning = Pick<Agents, 'spawn' | 'spawned'>

/** Spawns with ids that are under way in this process. */
const underWay = new WeakMap<Spawning, Map<string, Promise<PlacedAgent>>>()

/**
 * Starts an agent, in a worktree of its own if the wish has one. Only one of several spawns with one `startId` starts
 * an agent, and the others get that agent. @throws RefusedError; then nothing was made or started
 */
export async function spawnPlaced(agents: Spawning, wish: PlacedSpawn): Promise<PlacedAgent> {
  const { startId } = wish.request
  if (startId === undefined) return spawnOnce(agents, wish)
  const all = underWay.get(agents) ?? new Map<string, Promise<PlacedAgent>>()
  underWay.set(agents, all)
  const key = JSON.stringify([wish.starter.by, startId])
  // The wish of a repeat may differ, so it is checked again. Of several that waited, one continues.
  for (let before = all.get(key); before; before = all.get(key)) await before.catch(() => {})
  const spawning = spawnOnce(agents, wish)
  all.set(key, spawning)
  try {
    return await spawning
  } finally {
    if (all.get(key) === spawning) all.delete(key)
  }
}

async function spawnOnce(agents: Spawning, wish: PlacedSpawn): Promise<PlacedAgent> {
  const before = await spawnedBefore(agents, wish)
  if (before) return before
  try {
    return await spawn(agents, wish)
  } catch (thrown) {
    // Another process may have been quicker with the same id, and that is what stood in the way.
    const since = thrown instanceof RefusedError ? await spawnedBefore(agents, wish) : null
    if (since) return since
    throw thrown
  }
}

async function spawnedBefore(agents: Spawning, { request, starter }: PlacedSpawn): Promise<PlacedAgent | null> {
  if ((await agents.spawned(request, starter)) === null) return null
  return { agent: await agents.spawn({ ...request, worktree: null }, starter), worktree: null }
}

async function spawn(agents: Spawning, { request, starter, worktreeBelow }: PlacedSpawn): Promise<PlacedAgent> {
  const worktree = worktreeBelow === null ? null : await makeWorktree(placeOf(request, worktreeBelow))
  const place = worktree && { path: worktree.path, branch: worktree.branch }
  const profile = { ...request.profile, ...placedIn(worktree) }
  try {
    const agent = await agents.spawn({ ...request, profile, worktree: place }, starter)
    if (agent.worktree?.path === worktree?.path) return { agent, worktree }
    // The agent is there. A worktree that cannot be taken back has no agent, and `gc` lists it.
    await worktree?.undo().catch(() => {})
    return { agent, worktree: null }
  } catch (thrown) {
    // After any other failure the agent may have been started, in this worktree.
    if (thrown instanceof RefusedError) await worktree?.undo()
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

import type { AgentStatus } from '../../../../src/core/fleet/agent-status.ts'
import type { Documents } from '../../api/documents.ts'

export type Agent = Documents['Agent']

type GroupName = 'person' | 'trouble' | 'idle' | 'work' | 'parked' | 'over'

export interface AgentGroup {
  readonly name: GroupName
  readonly title: string
  readonly agents: readonly Agent[]
}

/** In the order of need. */
const TITLES: Readonly<Record<GroupName, string>> = {
  person: 'Waits for a person',
  trouble: 'Went wrong',
  idle: 'Waits for a message',
  work: 'At work',
  parked: 'Parked',
  over: 'Over',
}

// biome-ignore format: the table is the documentation
const GROUP_OF: Readonly<Record<AgentStatus, GroupName>> = {
  waiting: 'person',
  crashed: 'trouble', failed: 'trouble', unreachable: 'trouble',
  idle: 'idle',
  running: 'work', spawning: 'work', killing: 'work', queued: 'work',
  parked: 'parked',
  done: 'over', killed: 'over',
}

/** Groups that need a person are first. A group keeps the order of the server, and empty groups are left out. */
export function agentGroups(agents: readonly Agent[]): readonly AgentGroup[] {
  const byGroup = Map.groupBy(agents, ({ status }) => GROUP_OF[status])
  return (Object.keys(TITLES) as GroupName[]).flatMap(name => {
    const found = byGroup.get(name)
    return found ? [{ name, title: TITLES[name], agents: found }] : []
  })
}

/** True if the agent has each of the words somewhere in what its row shows. */
export function agentHasWords(
  { id, name, agent, title, status, last_message, first_hold }: Agent,
  words: string,
): boolean {
  const shown = [id, name, agent, title, status, last_message?.line, first_hold?.summary].join('\n').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every(word => shown.includes(word))
}

/** How people call it. */
export function calledAs({ name, title, id }: Pick<Agent, 'name' | 'title' | 'id'>): string {
  return name ?? (title || id)
}

import { AGENT_STATUSES, type AgentStatus } from '../../core/fleet/agent-status.ts'
import { A_TEXT, checkFields, type FieldRule, oneWordOf } from '../../core/given-fields.ts'
import type { Task } from '../../core/task/task.ts'
import { AGENT, type AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { tasksUnderWay } from '../agent-tasks/tasks-under-way.ts'
import type { AgentPage, AgentQuery, AgentSummary } from '../face/agents.ts'
import { lookAtAgent } from './look-at-agent.ts'
import { tellAgent } from './tell-agent.ts'

/** Of those that are over, if no limit is given. */
const PAGE = 50

/** The order of a list: people are needed for the first ones. */
// biome-ignore format: the table is the documentation
const PLACE: Record<AgentStatus, number> = {
  waiting: 0, crashed: 1, unreachable: 1, idle: 2,
  running: 3, spawning: 3, killing: 3, queued: 4, parked: 5,
  failed: 6, done: 7, killed: 7,
}

const LIMIT: FieldRule = ['a whole number from 1', value => Number.isSafeInteger(value) && Number(value) >= 1]
const RULES = {
  status: oneWordOf(AGENT_STATUSES),
  limit: LIMIT,
  ...{ after: A_TEXT, agent: A_TEXT, parent_run_id: A_TEXT },
}

/** Those that are not over, by need, then those that are, from the newest on; page by page. */
export async function listAgents(site: AgentTasksDeps, query: AgentQuery): Promise<AgentPage> {
  const { limit, after, ...filter } = checkFields('agents.list', query, RULES)
  const all = await seen(site, await liveAgents(site))
  const live = all.filter(agent => fits(agent, filter)).toSorted(byNeed)
  const at = live.findIndex(({ id }) => id === after)
  const isBehindLive = after !== undefined && at < 0
  const first = isBehindLive ? [] : live.slice(at + 1).slice(0, limit)
  const room = limit === undefined ? PAGE : limit - first.length
  const known = new Set(all.map(({ id }) => id))
  const over = await seen(site, await agentsOver(site, { limit: room, after: isBehindLive ? after : undefined, known }))
  const next = over.length < room ? null : ([...first, ...over].at(-1)?.id ?? null)
  return { agents: [...first, ...over.filter(agent => fits(agent, filter)).toSorted(byNeed)], next }
}

function seen(site: AgentTasksDeps, tasks: readonly Task[]): Promise<AgentSummary[]> {
  return Promise.all(tasks.map(async task => tellAgent(site, await lookAtAgent(site, task))))
}

interface Room {
  readonly limit: number
  readonly after: string | undefined
  /** Of those that were not over a moment ago. One that went on since is told with those that are over, rather than not at all. */
  readonly known: ReadonlySet<string>
}

async function agentsOver({ tasks }: AgentTasksDeps, { limit, after, known }: Room): Promise<readonly Task[]> {
  const found: Task[] = []
  for (let cursor = after; found.length < limit; ) {
    const page = await tasks.tasks({ kind: AGENT, limit: PAGE, ...(cursor !== undefined && { after: cursor }) })
    found.push(...page.filter(({ id }) => !known.has(id)))
    if (page.length < PAGE) break
    cursor = page.at(-1)?.id
  }
  return found.slice(0, limit)
}

function fits(agent: AgentSummary, filter: Pick<AgentQuery, 'status' | 'agent' | 'parent_run_id'>): boolean {
  return (['status', 'agent', 'parent_run_id'] as const).every(
    field => filter[field] === undefined || filter[field] === agent[field],
  )
}

async function liveAgents({ tasks }: AgentTasksDeps): Promise<readonly Task[]> {
  return tasksUnderWay(tasks, { kind: AGENT })
}

function byNeed(one: AgentSummary, other: AgentSummary): number {
  return PLACE[one.status] - PLACE[other.status] || Date.parse(other.updated_at) - Date.parse(one.updated_at)
}

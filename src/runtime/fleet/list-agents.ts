import { AGENT_STATUSES, type AgentStatus } from '../../core/fleet/agent-status.ts'
import { A_TEXT, checkFields, type FieldRule, oneWordOf } from '../../core/given-fields.ts'
import type { Task } from '../../core/task/task.ts'
import { AGENT, type AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import type { AgentPage, AgentQuery, AgentSummary } from '../face/agents.ts'
import { UNDER_WAY } from './find-agent.ts'
import { lookAtAgent } from './look-at-agent.ts'

const PAGE = 50

/** The order of a list: people are needed for the first ones. */
// biome-ignore format: the table is the documentation
const PLACE: Record<AgentStatus, number> = {
  waiting: 0, crashed: 1, idle: 2,
  running: 3, spawning: 3, killing: 3, queued: 4, parked: 5,
  failed: 6, done: 7, killed: 7,
}

const LIMIT: FieldRule = ['a whole number from 1', value => Number.isSafeInteger(value) && Number(value) >= 1]
const RULES = {
  status: oneWordOf(AGENT_STATUSES),
  limit: LIMIT,
  ...{ after: A_TEXT, agent: A_TEXT, parent_run_id: A_TEXT },
}

/** All that are not over, then those that are, page by page. */
export async function listAgents(site: AgentTasksDeps, query: AgentQuery): Promise<AgentPage> {
  const { limit = PAGE, after, ...filter } = checkFields('agents.list', query, RULES)
  const isFirst = after === undefined
  const live = isFirst ? await liveAgents(site) : []
  const page = await site.tasks.tasks({ kind: AGENT, limit, ...(after !== undefined && { after }) })
  const over = page.filter(({ id, status }) => !UNDER_WAY.includes(status) && !live.some(other => other.id === id))
  const seen: AgentSummary[] = []
  for (const task of [...live, ...over]) seen.push((await lookAtAgent(site, task)).summary)
  const agents = seen.filter(agent => fits(agent, filter)).toSorted(byNeed)
  return { agents, next: page.length < limit ? null : (page.at(-1)?.id ?? null) }
}

function fits(agent: AgentSummary, filter: Pick<AgentQuery, 'status' | 'agent' | 'parent_run_id'>): boolean {
  return (['status', 'agent', 'parent_run_id'] as const).every(
    field => filter[field] === undefined || filter[field] === agent[field],
  )
}

async function liveAgents({ tasks }: AgentTasksDeps): Promise<readonly Task[]> {
  const found: Task[] = []
  for (const status of UNDER_WAY) found.push(...(await tasks.tasks({ kind: AGENT, status })))
  return found
}

function byNeed(one: AgentSummary, other: AgentSummary): number {
  return PLACE[one.status] - PLACE[other.status] || Date.parse(other.updated_at) - Date.parse(one.updated_at)
}

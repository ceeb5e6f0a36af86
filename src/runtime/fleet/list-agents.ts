import { AGENT_STATUSES, type AgentStatus } from '../../core/fleet/agent-status.ts'
import { checkFields, type FieldRule, oneWordOf } from '../../core/given-fields.ts'
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
  after: ['a text', (value: unknown) => typeof value === 'string'] as FieldRule,
}

/** All that are not over, then those that are, page by page. */
export async function listAgents(site: AgentTasksDeps, query: AgentQuery): Promise<AgentPage> {
  const { status, limit = PAGE, after } = checkFields('agents.list', query, RULES)
  const live = after === undefined ? await liveAgents(site) : []
  const page = await site.tasks.tasks({ kind: AGENT, limit, ...(after !== undefined && { after }) })
  const all = [...live, ...page.filter(({ id }) => !live.some(other => other.id === id))]
  const seen: AgentSummary[] = []
  for (const task of all) seen.push((await lookAtAgent(site, task)).summary)
  const chosen = seen.filter(agent => status === undefined || agent.status === status)
  const inOrder = chosen.toSorted(byNeed)
  return { agents: inOrder, next: page.length < limit ? null : (page.at(-1)?.id ?? null) }
}

async function liveAgents({ tasks }: AgentTasksDeps): Promise<readonly Task[]> {
  const found: Task[] = []
  for (const status of UNDER_WAY) found.push(...(await tasks.tasks({ kind: AGENT, status })))
  return found
}

function byNeed(one: AgentSummary, other: AgentSummary): number {
  return PLACE[one.status] - PLACE[other.status] || Date.parse(other.updated_at) - Date.parse(one.updated_at)
}

import { AGENT_STATUSES, type AgentStatus } from '../../core/fleet/agent-status.ts'
import { type LastMessage, lastMessage } from '../../core/fleet/last-message.ts'
import { A_TEXT, checkFields, type FieldRule, oneWordOf } from '../../core/given-fields.ts'
import type { Task } from '../../core/task/task.ts'
import { AGENT, type AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { tasksByAge, tasksUnderWay } from '../agent-tasks/tasks-under-way.ts'
import type { AgentPage, AgentQuery, AgentSummary } from '../face/agents.ts'
import { lookAtAgent, type SeenAgent } from './look-at-agent.ts'

/** The number of finished agents on a page, if no limit is given. */
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

/** Lists agents under way, by need, then finished ones, the newest first, page by page. */
export async function listAgents(deps: AgentTasksDeps, query: AgentQuery): Promise<AgentPage> {
  const { limit, after, ...filter } = checkFields('agents.list', query, RULES)
  const all = await seen(deps, await tasksUnderWay(deps.tasks, { kind: AGENT }))
  const live = all.filter(agent => fits(agent, filter)).toSorted(byNeed)
  const at = live.findIndex(({ id }) => id === after)
  const isBehindLive = after !== undefined && at < 0
  const first = isBehindLive ? [] : live.slice(at + 1).slice(0, limit)
  const room = limit === undefined ? PAGE : limit - first.length
  const known = new Set(all.map(({ id }) => id))
  const over = await seen(deps, await agentsOver(deps, { limit: room, after: isBehindLive ? after : undefined, known }))
  // In the order of pages: a caller who asks for what is after the last one misses nobody, and sees nobody twice.
  const next = over.length < room ? null : ([...first, ...over].at(-1)?.id ?? null)
  return { agents: [...first, ...over.filter(agent => fits(agent, filter))], next }
}

function seen(deps: AgentTasksDeps, tasks: readonly Task[]): Promise<AgentSummary[]> {
  return Promise.all(tasks.map(async task => tellAgent(deps, await lookAtAgent(deps, task))))
}

interface Room {
  readonly limit: number
  readonly after: string | undefined
  /**
   * Agents that were under way a moment ago. One that resumed since is listed with the finished ones rather than left
   * out.
   */
  readonly known: ReadonlySet<string>
}

async function agentsOver({ tasks }: AgentTasksDeps, { limit, after, known }: Room): Promise<readonly Task[]> {
  if (limit <= 0) return []
  const found: Task[] = []
  for await (const task of tasksByAge(tasks, { kind: AGENT, limit: PAGE, ...(after !== undefined && { after }) })) {
    if (!known.has(task.id)) found.push(task)
    if (found.length === limit) break
  }
  return found
}

function fits(agent: AgentSummary, filter: Pick<AgentQuery, 'status' | 'agent' | 'parent_run_id'>): boolean {
  return (['status', 'agent', 'parent_run_id'] as const).every(
    field => filter[field] === undefined || filter[field] === agent[field],
  )
}

function byNeed(one: AgentSummary, other: AgentSummary): number {
  return PLACE[one.status] - PLACE[other.status] || Date.parse(other.updated_at) - Date.parse(one.updated_at)
}

/** The newest events that are looked through: a few first, for most agents speak in each step. */
const WINDOWS: readonly number[] = [24, 200]

type Journals = Pick<AgentTasksDeps, 'store'>

/** The summary of an agent with the last message of its session. */
export async function tellAgent(deps: Journals, { summary }: Pick<SeenAgent, 'summary'>): Promise<AgentSummary> {
  return { ...summary, last_message: await lastMessageOf(deps, summary) }
}

/** `null` if the newest events hold no message: a list reads no whole journal. */
async function lastMessageOf(
  { store }: Journals,
  { session_id, agent }: SeenAgent['summary'],
): Promise<LastMessage | null> {
  if (session_id === null) return null
  const newest = (await store.newest([session_id])).get(session_id) ?? 0
  let end = newest
  for (const size of WINDOWS) {
    const from = Math.max(0, newest - size)
    const tasks = lastMessage(await store.journal(session_id, from, end - from), agent)
    if (tasks !== null || from === 0) return tasks
    end = from
  }
  return null
}

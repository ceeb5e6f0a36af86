/** Tasks as supervisors look at them: an agent with how it stands, beside the status of its task. */
import type { AgentStatus } from '../../../core/fleet/agent-status.ts'
import type { TaskStatus } from '../../../core/task/task.ts'
import type { TaskDetails, TaskSummary, Tasks } from '../../face/tasks.ts'
import { listAgents } from '../../fleet/list-agents.ts'
import { lookAtAgent } from '../../fleet/look-at-agent.ts'
import { AGENT, type AgentTasksDeps } from '../agent-task.ts'
import { settleTask } from '../settle-task.ts'
import { taskSummary } from '../task-report.ts'

/** `null` for a command. */
export interface SupervisedStanding {
  readonly agent_status: AgentStatus | null
  /** Why it has this status, in words. */
  readonly because: string | null
}

export type SupervisedTask = TaskSummary & SupervisedStanding
export type SupervisedDetails = TaskDetails & SupervisedStanding

export interface SupervisedPage {
  readonly tasks: readonly SupervisedTask[]
  readonly next: string | null
}

export interface SupervisedWait {
  readonly timed_out: boolean
  readonly tasks: readonly SupervisedTask[]
}

export interface ListArguments {
  readonly status?: TaskStatus
  readonly agent_status?: AgentStatus
  readonly limit?: number
  readonly after?: string
}

interface SupervisedDeps {
  readonly site: AgentTasksDeps
  readonly agentTasks: Pick<Tasks, 'list'>
}

export async function listSupervised(
  { site, agentTasks }: SupervisedDeps,
  { agent_status, ...query }: ListArguments,
): Promise<SupervisedPage> {
  if (agent_status === undefined) {
    const { tasks, next } = await agentTasks.list(query)
    return { tasks: await supervised(site, tasks), next }
  }
  const { status, ...page } = query
  const { agents, next } = await listAgents(site, { ...page, status: agent_status })
  const tasks = await Promise.all(agents.map(({ id }) => summaryOf(site, id)))
  const found = tasks.flat().filter(task => status === undefined || task.status === status)
  return { tasks: await supervised(site, found), next }
}

async function summaryOf(site: AgentTasksDeps, id: string): Promise<readonly TaskSummary[]> {
  const task = await site.tasks.task(id)
  return task === null ? [] : [taskSummary(site, await settleTask(site, task))]
}

export function supervised<T extends TaskSummary>(
  site: AgentTasksDeps,
  tasks: readonly T[],
): Promise<(T & SupervisedStanding)[]> {
  return Promise.all(tasks.map(async task => ({ ...task, ...(await standingOf(site, task)) })))
}

async function standingOf(site: AgentTasksDeps, { task_id, kind }: TaskSummary): Promise<SupervisedStanding> {
  const task = kind === AGENT ? await site.tasks.task(task_id) : null
  if (task === null) return { agent_status: null, because: null }
  const { status: agent_status, because } = (await lookAtAgent(site, task)).summary
  return { agent_status, because }
}

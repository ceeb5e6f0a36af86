/** Tasks as supervisors see them: each agent with its own status as well as that of its task. */
import type { AgentStatus } from '../../../core/fleet/agent-status.ts'
import type { Fits } from '../../../core/text/json-schema.ts'
import type { TaskDetails, TaskSummary, Tasks } from '../../face/tasks.ts'
import { listAgents } from '../../fleet/list-agents.ts'
import { lookAtAgent } from '../../fleet/look-at-agent.ts'
import { AGENT, type AgentTasksDeps } from '../agent-task.ts'
import { settleTask } from '../settle-task.ts'
import { taskSummary } from '../task-report.ts'
import type { LIST_INPUT } from './task-schemas.ts'

/** `null` for a command. */
export interface SupervisedStatus {
  readonly agent_status: AgentStatus | null
  /** Why it has this status, in words. */
  readonly because: string | null
}

export type SupervisedTask = TaskSummary & SupervisedStatus
export type SupervisedDetails = TaskDetails & SupervisedStatus

export interface SupervisedPage {
  readonly tasks: readonly SupervisedTask[]
  readonly next: string | null
}

export interface SupervisedWait {
  readonly timed_out: boolean
  readonly tasks: readonly SupervisedTask[]
}

interface SupervisedDeps {
  readonly taskDeps: AgentTasksDeps
  readonly agentTasks: Pick<Tasks, 'list'>
}

export async function listSupervised(
  { taskDeps: deps, agentTasks }: SupervisedDeps,
  { agent_status, ...query }: Fits<typeof LIST_INPUT>,
): Promise<SupervisedPage> {
  if (agent_status === undefined) {
    const { tasks, next } = await agentTasks.list(query)
    return { tasks: await supervised(deps, tasks), next }
  }
  const { status, ...page } = query
  const { agents, next } = await listAgents(deps, { ...page, status: agent_status })
  const tasks = await Promise.all(agents.map(({ id }) => summaryOf(deps, id)))
  const matching = tasks.flat().filter(task => status === undefined || task.status === status)
  return { tasks: await supervised(deps, matching), next }
}

async function summaryOf(deps: AgentTasksDeps, id: string): Promise<readonly TaskSummary[]> {
  const task = await deps.tasks.task(id)
  return task === null ? [] : [taskSummary(deps, await settleTask(deps, task))]
}

export function supervised<T extends TaskSummary>(
  deps: AgentTasksDeps,
  tasks: readonly T[],
): Promise<(T & SupervisedStatus)[]> {
  return Promise.all(tasks.map(async task => ({ ...task, ...(await agentStatusOf(deps, task)) })))
}

async function agentStatusOf(deps: AgentTasksDeps, { task_id, kind }: TaskSummary): Promise<SupervisedStatus> {
  const task = kind === AGENT ? await deps.tasks.task(task_id) : null
  if (task === null) return { agent_status: null, because: null }
  const { status: agent_status, because } = (await lookAtAgent(deps, task)).summary
  return { agent_status, because }
}

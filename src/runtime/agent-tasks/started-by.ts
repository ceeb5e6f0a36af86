import type { Task, TaskStatus } from '../../core/task/task.ts'
import { type AgentTasksDeps, parentOf, runOf } from './agent-task.ts'

/** From these a task may still do something. */
const UNDER_WAY: readonly TaskStatus[] = ['pending', 'running', 'paused']

/** The tasks under way that a task's agent started, or that those started, and so on. */
export async function startedBy(site: AgentTasksDeps, task: Task): Promise<readonly Task[]> {
  const runId = runOf(task)
  if (runId === null) return []
  const found = await Promise.all(UNDER_WAY.map(status => site.tasks.tasks({ status })))
  const starters = await runsFrom(site, runId)
  return found.flat().filter(each => starters.has(parentOf(each) ?? ''))
}

/** The run and all below it, also below those that are over. */
async function runsFrom({ store }: AgentTasksDeps, runId: string): Promise<ReadonlySet<string>> {
  const found = new Set([runId])
  for (const parent_run_id of found) for (const { id } of await store.runs({ parent_run_id })) found.add(id)
  return found
}

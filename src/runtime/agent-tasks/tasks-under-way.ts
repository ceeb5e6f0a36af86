import type { Task, TaskStatus } from '../../core/task/task.ts'
import type { TaskQuery, TaskRegistry } from '../../ports/store/fleet/task-registry.ts'
import { type AgentTasksDeps, parentOf, runOf } from './agent-task.ts'

/** From these a task may still do something by itself, or when it is told to. */
export const UNDER_WAY: readonly TaskStatus[] = ['pending', 'running', 'paused']

/** A task goes through these in order, and from the last one back to the first: read so, none slips through. */
const ALL_AROUND: readonly TaskStatus[] = [...UNDER_WAY, 'pending']

/** Each once, as it was when it was last read. */
export async function tasksUnderWay(
  tasks: Pick<TaskRegistry, 'tasks'>,
  query: Omit<TaskQuery, 'status'> = {},
): Promise<Task[]> {
  const found = new Map<string, Task>()
  for (const status of ALL_AROUND) for (const task of await tasks.tasks({ ...query, status })) found.set(task.id, task)
  return [...found.values()]
}

/** The tasks under way that a task's agent started, or that those started, and so on. */
export async function startedBy(site: AgentTasksDeps, task: Task): Promise<readonly Task[]> {
  const runId = runOf(task)
  if (runId === null) return []
  const found = await tasksUnderWay(site.tasks)
  const starters = await runsFrom(site, runId)
  return found.filter(each => starters.has(parentOf(each) ?? ''))
}

/** The run and all below it, also below those that are over. */
async function runsFrom({ store }: AgentTasksDeps, runId: string): Promise<ReadonlySet<string>> {
  const found = new Set([runId])
  for (const parent_run_id of found) for (const { id } of await store.runs({ parent_run_id })) found.add(id)
  return found
}

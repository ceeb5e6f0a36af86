import type { Task, TaskStatus } from '../../core/task/task.ts'
import type { TaskQuery, TaskRegistry } from '../../ports/store/fleet/task-registry.ts'
import { type AgentTasksDeps, parentOf, runOf } from './agent-task.ts'

/** The statuses from which a task may still act, by itself or when asked to. */
export const UNDER_WAY: readonly TaskStatus[] = ['pending', 'running', 'paused']

/**
 * A task moves through these in order, and from the last back to the first. Read in this order, no task slips through.
 */
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

/** The tasks behind `after`, newest first, so many read at once. */
export async function* tasksByAge(
  tasks: Pick<TaskRegistry, 'tasks'>,
  { after: first, ...query }: TaskQuery & { readonly limit: number },
): AsyncGenerator<Task, void, undefined> {
  for (let after = first; ; ) {
    const page = await tasks.tasks({ ...query, ...(after !== undefined && { after }) })
    yield* page
    after = page.at(-1)?.id
    if (page.length < query.limit) return
  }
}

/** The tasks under way that a task's agent started, or that those started, and so on. */
export async function startedBy(deps: AgentTasksDeps, task: Task): Promise<readonly Task[]> {
  const runId = runOf(task)
  if (runId === null) return []
  const found = await tasksUnderWay(deps.tasks)
  const starters = await runsFrom(deps, runId)
  return found.filter(each => starters.has(parentOf(each) ?? ''))
}

/** The run and all below it, also below those that are over. */
async function runsFrom({ store }: AgentTasksDeps, runId: string): Promise<ReadonlySet<string>> {
  const found = new Set([runId])
  for (const parent_run_id of found) for (const { id } of await store.runs({ parent_run_id })) found.add(id)
  return found
}

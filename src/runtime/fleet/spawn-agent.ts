import { startIdTaken } from '../../core/journal/same-start.ts'
import { contentText } from '../../core/message/part-words.ts'
import type { Task } from '../../core/task/task.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { shortTitle, startAgent } from '../agent-tasks/start-agent.ts'
import type { SpawnRequest } from '../face/agents.ts'
import type { Starter } from '../face/tasks.ts'
import { startedAs } from '../threads/start-once.ts'
import { detailsOf, refuseUnfitName } from './agent-terms.ts'
import { refuseNameInUse } from './find-agent.ts'

/** What a spawn needs to know of names and of its start, before anything is made for it. @throws RefusedError */
export async function spawnAgent(site: AgentTasksDeps, request: SpawnRequest, starter: Starter): Promise<Task> {
  const { profile, input, title, timeout_seconds, name, startId } = request
  const before = await spawnedBefore(site, request, starter)
  if (before) return before
  if (name !== null) {
    refuseUnfitName(name)
    await refuseNameInUse(site, name)
  }
  await site.processes.rehearse(profile)
  const details = { parent_run_id: starter.runId, ...detailsOf(request) }
  const start = { profile, input, title: title ?? shortTitle(contentText(input)), timeout_seconds, details }
  return startAgent(site, { ...start, ...(startId !== undefined && { startId }) }, starter)
}

/** The agent that a spawn with the same id made. @throws RefusedError `start_id_taken` if another start has the id */
export async function spawnedBefore(
  site: AgentTasksDeps,
  { startId, profile, input }: Pick<SpawnRequest, 'startId' | 'profile' | 'input'>,
  { by: author }: Starter,
): Promise<Task | null> {
  if (startId === undefined) return null
  const started = await startedAs(site, startId, { profile, input, author })
  if (started === null) return null
  // Its later runs are about the same task.
  const [{ id: subject } = started] = await site.store.runs({ thread_id: started.thread_id, limit: 1 })
  const [task] = await site.store.tasks.tasks({ subject, limit: 1 })
  if (task) return task
  throw startIdTaken(startId, started.id)
}

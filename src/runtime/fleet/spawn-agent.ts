import { contentText } from '../../core/message/part-words.ts'
import type { Task } from '../../core/task/task.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { shortTitle, startAgent } from '../agent-tasks/start-agent.ts'
import type { SpawnRequest } from '../face/agents.ts'
import type { Starter } from '../face/tasks.ts'
import { detailsOf, refuseUnfitName } from './agent-terms.ts'
import { refuseNameInUse } from './find-agent.ts'

/** What a spawn needs to know of names and of its start, before anything is made for it. @throws RefusedError */
export async function spawnAgent(site: AgentTasksDeps, request: SpawnRequest, starter: Starter): Promise<Task> {
  const { profile, input, title, timeout_seconds, name } = request
  if (name !== null) {
    refuseUnfitName(name)
    await refuseNameInUse(site, name)
  }
  await site.processes.rehearse(profile)
  const details = { parent_run_id: starter.runId, ...detailsOf(request) }
  const start = { profile, input, title: title ?? shortTitle(contentText(input)), timeout_seconds, details }
  return startAgent(site, start, starter)
}

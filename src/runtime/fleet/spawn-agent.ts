import { NEVER } from '../../async/on-abort.ts'
import { contentText } from '../../core/message/part-words.ts'
import type { Task } from '../../core/task/task.ts'
import { type AgentTasksDeps, runOf } from '../agent-tasks/agent-task.ts'
import { goOn } from '../agent-tasks/resume-task.ts'
import { shortTitle, startAgent, taskBegunBy } from '../agent-tasks/start-agent.ts'
import type { SpawnRequest } from '../face/agents.ts'
import type { Starter } from '../face/tasks.ts'
import { startedAs } from '../threads/start-once.ts'
import { detailsOf, refuseUnfitName } from './agent-terms.ts'
import { refuseNameInUse } from './find-agent.ts'

/** Starts an agent. Its name and its start are checked before anything is made for it. @throws RefusedError */
export async function spawnAgent(deps: AgentTasksDeps, request: SpawnRequest, starter: Starter): Promise<Task> {
  const { profile, input, title, timeout_seconds, name, startId } = request
  const before = await spawnedBefore(deps, request, starter)
  if (before) return onceStarted(deps, before, starter)
  if (name !== null) {
    refuseUnfitName(name)
    await refuseNameInUse(deps, name)
  }
  await deps.processes.rehearse(profile)
  const details = { parent_run_id: starter.runId, ...detailsOf(request) }
  const start = { profile, input, title: title ?? shortTitle(contentText(input)), timeout_seconds, details }
  return startAgent(deps, { ...start, ...(startId !== undefined && { startId }) }, starter)
}

/** The agent that a spawn with the same id made. @throws RefusedError `start_id_taken` if another start has the id */
export async function spawnedBefore(
  deps: AgentTasksDeps,
  { startId, profile, input }: Pick<SpawnRequest, 'startId' | 'profile' | 'input'>,
  { by: author }: Starter,
): Promise<Task | null> {
  if (startId === undefined) return null
  const started = await startedAs(deps, startId, { profile, input, author })
  return started && taskBegunBy(deps, startId, started)
}

/** A task without a supervisor by then counts as never started. */
const LONGEST_START_MS = 15_000
const LOOK_MS = 50

/** The spawner may have been killed before the agent had a process: then it gets one now. */
async function onceStarted(deps: AgentTasksDeps, task: Task, starter: Starter): Promise<Task> {
  const { clock, tasks } = deps
  const deadline = clock.steady() + LONGEST_START_MS
  let now = (await tasks.task(task.id)) ?? task
  while (now.status === 'pending' && now.invocation.supervisor === null && clock.steady() < deadline) {
    await clock.sleep(LOOK_MS, NEVER)
    now = (await tasks.task(task.id)) ?? now
  }
  const runId = runOf(now)
  if (now.invocation.error?.code !== 'never_started' || runId === null) return now
  return (await goOn(deps, runId, starter)) ?? now
}

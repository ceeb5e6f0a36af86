import { eachChange } from '../../async/each-change.ts'
import { TASK_RESTS } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import { type AgentTasksDeps, isHere } from './agent-task.ts'
import { goOn } from './resume-task.ts'
import { watchesOf } from './wait-for-tasks.ts'

/** Longer than a process takes to end that has let go of its run. */
const PATIENCE_MS = 5000

/** Goes on with the task of a run that became ready; one that is just coming to rest is waited for. */
export async function wakeTask(site: AgentTasksDeps, runId: string, asker: Requester): Promise<void> {
  const { clock } = site
  const deadline = clock.steady() + PATIENCE_MS
  const [task] = await site.store.tasks.tasks({ subject: runId, limit: 1 })
  // Its own host sees for itself when it rests.
  if (task && !isHere(site, task)) return void (await goOn(site, runId, asker))
  for await (const _ of eachChange({ clock, watches: watchesOf(site), deadline })) {
    if (!(await isComingToRest(site, runId))) break
  }
  await goOn(site, runId, asker)
}

/** Its process works on its run no more, or not yet. */
async function isComingToRest({ tasks, store }: AgentTasksDeps, runId: string): Promise<boolean> {
  const [task] = await tasks.tasks({ subject: runId, limit: 1 })
  if (task === undefined || TASK_RESTS[task.status]) return false
  const row = await store.run(runId)
  return row?.status === 'running' && row.lease === null
}

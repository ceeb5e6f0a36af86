import { type EachChangeOptions, eachChange } from '../../async/each-change.ts'
import type { RemoteHoldpoint } from '../../client/remote-holdpoint.ts'
import { TASK_RESTS } from '../../core/task/task.ts'
import type { TaskSummary, Tasks, TaskWaitRequest } from '../../runtime/face/tasks.ts'
import { systemClock } from '../process/system-clock.ts'
import { watchChanges } from './watch-changes.ts'

/** A task is paused, or runs again, shortly after what goes on record. */
const SAFETY_MS = 2_000

/** `tasks.wait` by a look after each change at the server. */
export function remoteWait(remote: RemoteHoldpoint): Tasks['wait'] {
  return async (taskIds, request) => {
    const ids = typeof taskIds === 'string' ? [taskIds] : taskIds
    let seen: readonly TaskSummary[] = []
    for await (const _ of eachChange(watchOf(remote, request))) {
      seen = await Promise.all(ids.map(async id => summaryOf(await remote.tasks.details(id))))
      request.onProgress?.(seen)
      if (isEnough(seen, request)) return { timed_out: false, tasks: seen }
    }
    return { timed_out: true, tasks: seen }
  }
}

function watchOf(remote: RemoteHoldpoint, { seconds, signal }: TaskWaitRequest): EachChangeOptions {
  const deadline = seconds === null ? Number.POSITIVE_INFINITY : systemClock.steady() + seconds * 1000
  const watches = [(onChange: () => void) => watchChanges(remote, onChange)]
  return { clock: systemClock, watches, signal, deadline, safetyMs: SAFETY_MS }
}

function isEnough(seen: readonly TaskSummary[], { until }: TaskWaitRequest): boolean {
  const rests = ({ status }: TaskSummary) => TASK_RESTS[status]
  return until === 'all' ? seen.every(rests) : seen.some(rests)
}

/** Of the details of a task, the part that lists have. */
function summaryOf(task: TaskSummary): TaskSummary {
  const { task_id, kind, title, status, run_id, session_id, checkpoint_id, parent_run_id } = task
  const { invocations, exit_code, signal, error, created_at, updated_at } = task
  return {
    ...{
      task_id,
      kind,
      title,
      ...(task.host !== undefined && { host: task.host }),
      status,
      run_id,
      session_id,
      checkpoint_id,
      parent_run_id,
    },
    ...{ invocations, exit_code, signal, error, created_at, updated_at },
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { RemoteHoldpoint } from '../../client/remote-holdpoint.ts'
import { TASK_RESTS } from '../../core/task/task.ts'
import type { TaskSummary, Tasks, TaskWaitRequest } from '../../runtime/face/tasks.ts'
import { systemClock } from '../process/system-clock.ts'

const LOOK_MS = 500

/** `tasks.wait` by looking again and again: no connection is kept open for hours. */
export function remoteWait({ tasks }: RemoteHoldpoint): Tasks['wait'] {
  return async (taskIds, request) => {
    const ids = typeof taskIds === 'string' ? [taskIds] : taskIds
    const late = deadlineOf(request)
    for (;;) {
      const seen = await Promise.all(ids.map(async id => summaryOf(await tasks.details(id))))
      request.onProgress?.(seen)
      const enough = isEnough(seen, request)
      if (enough || late()) return { timed_out: !enough, tasks: seen }
      await delay(LOOK_MS, undefined, { signal: request.signal }).catch(() => {})
    }
  }
}

function deadlineOf({ seconds, signal }: TaskWaitRequest): () => boolean {
  const end = seconds === null ? Number.POSITIVE_INFINITY : systemClock.now() + seconds * 1000
  return () => signal.aborted || systemClock.now() >= end
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
    ...{ task_id, kind, title, status, run_id, session_id, checkpoint_id, parent_run_id },
    ...{ invocations, exit_code, signal, error, created_at, updated_at },
  }
}

import { type EachChangeOptions, eachChange } from '../../async/each-change.ts'
import type { RemoteHoldpoint } from '../../client/remote-holdpoint.ts'
import { agentRest } from '../../core/fleet/agent-status.ts'
import { TASK_RESTS } from '../../core/task/task.ts'
import type { Agents } from '../../runtime/face/agents.ts'
import type { TaskDetails, TaskSummary, Tasks, TaskWaitRequest } from '../../runtime/face/tasks.ts'
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

/** The fields that only the details of a task have. */
const DETAILS: Record<Exclude<keyof TaskDetails, keyof TaskSummary>, true> = {
  ...{ workdir: true, timeout_seconds: true, pause_reason: true, pause: true, result: true },
  ...{ stdout: true, stderr: true, history: true, children: true },
}

/** The part of the details of a task that lists have. */
function summaryOf(task: TaskDetails): TaskSummary {
  const fields = Object.entries(task).filter(([name]) => !Object.hasOwn(DETAILS, name))
  return Object.fromEntries(fields) as unknown as TaskSummary
}

/** An agent whose process comes or goes changes its status, and no record tells of it. */
const AGENT_SAFETY_MS = 500

/** `agents.wait` by a look after each change at the server. */
export function remoteAgentWait(remote: RemoteHoldpoint): Agents['wait'] {
  return async (named, { signal }) => {
    const rests = agentRest(systemClock)
    let agent = await remote.agents.find(named)
    const watches = [(onChange: () => void) => watchChanges(remote, onChange)]
    if (rests(agent.status)) return agent
    for await (const _ of eachChange({ clock: systemClock, watches, signal, safetyMs: AGENT_SAFETY_MS })) {
      agent = await remote.agents.find(agent.id)
      if (rests(agent.status)) break
    }
    return agent
  }
}

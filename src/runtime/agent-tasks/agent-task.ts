import type { Receipt } from '../../core/deciding/receipt.ts'
import { isOfHost } from '../../core/fleet/fleet-host.ts'
import { interactiveOf } from '../../core/fleet/interactive.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import { TASK_RESTS, type Task, type TaskStatus } from '../../core/task/task.ts'
import { isJsonObject } from '../../core/text/json.ts'
import type { AgentSource } from '../../ports/agent/agent-source.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AgentProcesses } from '../../ports/process/agent-processes.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import type { TaskManager } from '../../ports/process/task-manager.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { Store } from '../../ports/store/store.ts'
import type { Holdpoint } from '../face/holdpoint.ts'
import type { Holds } from '../face/holds.ts'
import type { Runs } from '../face/runs.ts'
import type { Threads } from '../face/threads.ts'

/** The parts of the face that tasks use. */
export type FaceOfTasks = Runs & Holds & Threads & Pick<Holdpoint, 'audit'>

/** Records all of the decisions or none, and wakes no task: the caller goes on with the run itself. */
export type RecordDecisions = (inputs: readonly DecisionInput[]) => Promise<readonly Receipt[]>

/** The needs of agents as tasks, put together by a host. */
export interface AgentTasksDeps {
  readonly holdpoint: FaceOfTasks
  readonly record: RecordDecisions
  readonly store: Store
  readonly agents: AgentSource
  readonly tasks: TaskManager
  readonly processes: AgentProcesses
  readonly ids: Ids
  readonly clock: Clock
  readonly liveness: Pick<Liveness, 'isGone'>
}

/** The task manager does not look at these. */
export const AGENT = 'agent'
export const COMMAND = 'command'

/** The run that a task goes on with; `null` if it was not started as an agent. */
export function runOf(task: Task): string | null {
  return task.kind === AGENT ? task.subject : null
}

/** The run whose agent started it; `null` if none did. */
export function parentOf({ details }: Task): string | null {
  const parent = isJsonObject(details) ? details['parent_run_id'] : null
  return typeof parent === 'string' ? parent : null
}

/** True if its next invocation waits for its turn. One that another agent started does not: that one may wait for it. */
export function waitsForTurn({ isLimited }: TaskManager, task: Task): boolean {
  return isLimited && parentOf(task) === null
}

/** True if its processes are of this machine: only then are they started, looked at and signalled here. */
export function isHere({ store }: Pick<AgentTasksDeps, 'store'>, task: Pick<Task, 'host'>): boolean {
  return isOfHost(task, store.hosts.self)
}

/** A task, and its run as it stands; `null` if it has none, or the run is gone. */
export interface Standing {
  readonly task: Task
  readonly row: RunRow | null
}

/**
 * True if a process works on the run, or could go on with it: its task no longer rests, though its process has not
 * begun.
 */
export function isReady({ task, row }: Standing): boolean {
  return task.status === 'paused' && row?.status === 'running'
}

/** Its process stays while its run waits: to those who supervise it, it is paused. */
function lingers({ task, row }: Standing): boolean {
  return task.status === 'running' && row?.status === 'waiting' && interactiveOf(task.details) !== null
}

/** True if a person is needed, even if the process was stopped right after the pause and before it could tell. */
export function waitsForSomebody({ task, row }: Standing): boolean {
  return task.status === 'paused' || lingers({ task, row }) || (task.status === 'failed' && row?.status === 'waiting')
}

/** The lease of a process that was killed stays until another one takes it. */
export function isWorkedOn({ liveness }: Pick<AgentTasksDeps, 'liveness'>, { row }: Standing): boolean {
  return row !== null && row.lease !== null && !liveness.isGone(row.lease.owner)
}

/** A task has the state of its run, even if another process advances that. */
export function statusNow(site: Pick<AgentTasksDeps, 'liveness'>, standing: Standing): TaskStatus {
  if (lingers(standing)) return 'paused'
  return isReady(standing) && isWorkedOn(site, standing) ? 'running' : standing.task.status
}

export function restsNow(standing: Standing): boolean {
  return lingers(standing) || (TASK_RESTS[standing.task.status] && !isReady(standing))
}

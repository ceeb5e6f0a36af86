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

/** Records all of the decisions or none. Wakes no task: the caller continues the run itself. */
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

/** The run that the task advances; `null` if the task is not an agent. */
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

/** A task with its run; `row` is `null` if the task has no run, or the run was pruned. */
export interface TaskWithRun {
  readonly task: Task
  readonly row: RunRow | null
}

/** The fields that every list has of a task and its run. */
export function runFields({ task, row }: TaskWithRun) {
  return {
    run_id: runOf(task),
    session_id: row?.thread_id ?? null,
    checkpoint_id: row?.checkpoint_id ?? null,
    parent_run_id: parentOf(task),
  }
}

/** True if the run can go on but no process has begun on it yet. */
export function isReady({ task, row }: TaskWithRun): boolean {
  return task.status === 'paused' && row?.status === 'running'
}

/** The process stays while its run waits. Supervisors see the task as paused. */
function isPausedInProcess({ task, row }: TaskWithRun): boolean {
  return task.status === 'running' && row?.status === 'waiting' && interactiveOf(task.details) !== null
}

/** True if the agent needs a person, even if its process died right after the pause and could not report it. */
export function waitsForSomebody({ task, row }: TaskWithRun): boolean {
  return (
    task.status === 'paused' ||
    isPausedInProcess({ task, row }) ||
    (task.status === 'failed' && row?.status === 'waiting')
  )
}

/** The lease of a process that was killed stays until another one takes it. */
export function isWorkedOn({ liveness }: Pick<AgentTasksDeps, 'liveness'>, { row }: TaskWithRun): boolean {
  return row !== null && row.lease !== null && !liveness.isGone(row.lease.owner)
}

/** A task has the state of its run, even if another process advances that. */
export function statusNow(deps: Pick<AgentTasksDeps, 'liveness'>, task: TaskWithRun): TaskStatus {
  if (isPausedInProcess(task)) return 'paused'
  return isReady(task) && isWorkedOn(deps, task) ? 'running' : task.task.status
}

export function restsNow(task: TaskWithRun): boolean {
  return isPausedInProcess(task) || (TASK_RESTS[task.task.status] && !isReady(task))
}

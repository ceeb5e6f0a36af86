/**
 * Keeps: a task has the state of its run. It never waits for a run that ended, nor fails for one that waits or ended
 * well.
 */

import { describeEnd, outcomeOf, type Termination } from '../../core/run/termination.ts'
import type { Task } from '../../core/task/task.ts'
import type { TaskSettlement } from '../../ports/process/task-manager.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { CancelOptions } from '../threads/cancel-run.ts'
import { type AgentTasksDeps, runOf, type TaskWithRun } from './agent-task.ts'

type Settlement = Omit<TaskSettlement, 'invocation'>

/** The task with the result of its run. A person, a worker, a deadline or a lost process may have caused it. */
export async function settleTask(deps: AgentTasksDeps, found: Task): Promise<TaskWithRun> {
  const { task, row } = await readTask(deps, found)
  if (isStopped(task) && row !== null && row.status !== 'done') return { task, row: await endedRow(deps, task, row) }
  const settlement = row && (await settlementFor(deps, task, row))
  if (settlement === null || settlement.to === task.status) return { task, row }
  const settled = await deps.tasks.settle(task.id, { invocation: task.invocation.n, ...settlement })
  return { task: settled ?? (await deps.tasks.task(task.id)) ?? task, row }
}

/** Events that are due on its holds happen first: they may make the run ready, and wake the task. */
async function readTask({ store, tasks, holdpoint }: AgentTasksDeps, task: Task): Promise<TaskWithRun> {
  const runId = runOf(task)
  const row = runId === null ? null : await store.run(runId)
  if (row?.status !== 'waiting') return { task, row }
  const next = await holdpoint.nextDue()
  if (next === null || Date.parse(next) > (await store.now())) return { task, row }
  await holdpoint.expireHolds()
  return { task: (await tasks.task(task.id)) ?? task, row: await store.run(row.id) }
}

/** `null` if the status that the task's own process left is still right. */
async function settlementFor(deps: AgentTasksDeps, task: Task, row: RunRow): Promise<Settlement | null> {
  if (task.status === 'failed' && row.status === 'waiting') return { to: 'paused', error: task.invocation.error }
  if (row.status !== 'done' || !(task.status === 'paused' || wasLost(task))) return null
  const { termination } = await deps.holdpoint.run(row.id)
  return termination && settlementOf(termination)
}

function isStopped({ status }: Task): boolean {
  return status === 'cancelled' || status === 'timed_out'
}

/**
 * A process that stopped the task may have been stopped itself before it ended the run. If the cancel fails here, the
 * next look tries again.
 */
async function endedRow(deps: AgentTasksDeps, task: Task, row: RunRow): Promise<RunRow> {
  const reason = `task ${task.id} is ${task.status.replace('_', ' ')}`
  await cancelRunOf(deps, task, { by: task.invocation.by, reason }).catch(() => {})
  return (await deps.store.run(row.id)) ?? row
}

/** The process or its supervisor was killed, so no exit code was recorded. */
function wasLost({ status, invocation }: Task): boolean {
  return status === 'failed' && invocation.exit_code === null
}

function settlementOf(termination: Termination): Settlement {
  if (termination.type === 'cancelled') return { to: 'cancelled', error: null }
  if (outcomeOf(termination) === 'completed') return { to: 'completed', error: null }
  return { to: 'failed', error: { code: termination.type, message: `Elsewhere, ${describeEnd(termination)}.` } }
}

/** The run of an agent's task is over with it; one that is over already stays as it is. */
export async function cancelRunOf(
  { store, holdpoint }: AgentTasksDeps,
  task: Task,
  options: CancelOptions,
): Promise<void> {
  const runId = runOf(task)
  const row = runId === null ? null : await store.run(runId)
  if (row === null || row.status === 'done') return
  try {
    await holdpoint.cancel(row.id, options)
  } catch (thrown) {
    // The owner of the run carries out the cancel as soon as it is recorded.
    const { run } = await holdpoint.thread(row.thread_id)
    if (run?.id !== row.id || run.cancel === null) throw thrown
  }
}

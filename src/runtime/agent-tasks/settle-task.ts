/**
 * Keeps: a task has the state of its run. It never waits for a run that ended, nor fails for one that waits or ended
 * well.
 */

import { describeEnd, outcomeOf, type Termination } from '../../core/run/termination.ts'
import type { Task } from '../../core/task/task.ts'
import type { TaskSettlement } from '../../ports/process/task-manager.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import { type AgentTasksDeps, runOf, type Standing } from './agent-task.ts'
import { cancelRunOf } from './cancel-run-of.ts'

type Settlement = Omit<TaskSettlement, 'invocation'>

/** The task with the result of its run. A person, a worker, a deadline or a lost process may have caused it. */
export async function settleTask(site: AgentTasksDeps, found: Task): Promise<Standing> {
  const { task, row } = await standingNow(site, found)
  if (isStopped(task) && row !== null && row.status !== 'done') return { task, row: await endedRow(site, task, row) }
  const settlement = row && (await settlementFor(site, task, row))
  if (settlement === null || settlement.to === task.status) return { task, row }
  const settled = await site.tasks.settle(task.id, { invocation: task.invocation.n, ...settlement })
  return { task: settled ?? (await site.tasks.task(task.id)) ?? task, row }
}

/** Events that are due on its holds happen first: they may make the run ready, and wake the task. */
async function standingNow({ store, tasks, holdpoint }: AgentTasksDeps, task: Task): Promise<Standing> {
  const runId = runOf(task)
  const row = runId === null ? null : await store.run(runId)
  if (row?.status !== 'waiting') return { task, row }
  const next = await holdpoint.nextDue()
  if (next === null || Date.parse(next) > (await store.now())) return { task, row }
  await holdpoint.expireHolds()
  return { task: (await tasks.task(task.id)) ?? task, row: await store.run(row.id) }
}

/** `null`: it rests, or does not, as its own process left it. */
async function settlementFor(site: AgentTasksDeps, task: Task, row: RunRow): Promise<Settlement | null> {
  if (task.status === 'failed' && row.status === 'waiting') return { to: 'paused', error: task.invocation.error }
  if (row.status !== 'done' || !(task.status === 'paused' || wasLost(task))) return null
  const { termination } = await site.holdpoint.run(row.id)
  return termination && settlementOf(termination)
}

function isStopped({ status }: Task): boolean {
  return status === 'cancelled' || status === 'timed_out'
}

/**
 * The process that stopped the task was stopped before it ended the run. If that cannot be told from here, the next
 * look does.
 */
async function endedRow(site: AgentTasksDeps, task: Task, row: RunRow): Promise<RunRow> {
  const reason = `task ${task.id} is ${task.status.replace('_', ' ')}`
  await cancelRunOf(site, task, { by: task.invocation.by, reason }).catch(() => {})
  return (await site.store.run(row.id)) ?? row
}

/** Its process or its supervisor was killed, so its end was not recorded. */
function wasLost({ status, invocation }: Task): boolean {
  return status === 'failed' && invocation.exit_code === null
}

function settlementOf(termination: Termination): Settlement {
  if (termination.type === 'cancelled') return { to: 'cancelled', error: null }
  if (outcomeOf(termination) === 'completed') return { to: 'completed', error: null }
  return { to: 'failed', error: { code: termination.type, message: `Elsewhere, ${describeEnd(termination)}.` } }
}

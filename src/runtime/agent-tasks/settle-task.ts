/** Keeps: an agent's task never says that it waits for what came to its end elsewhere. */
import type { Task } from '../../core/task.ts'
import { describeEnd, outcomeOf, type Termination } from '../../core/termination.ts'
import type { TaskSettlement } from '../../ports/task-manager.ts'
import { type AgentTasksSite, runOf, type Standing } from './agent-task.ts'

/** The task as it is, its run's end taken in, whoever ended that: a person, a worker, time. */
export async function settleTask(site: AgentTasksSite, task: Task): Promise<Standing> {
  const runId = runOf(task)
  const row = runId === null ? null : await site.store.run(runId)
  if (task.status !== 'paused' || row?.status !== 'done') return { task, row }
  const { termination } = await site.holdpoint.run(row.id)
  if (termination === null) return { task, row }
  const settlement = { invocation: task.invocation.n, ...settlementOf(termination) }
  const settled = await site.tasks.settle(task.id, settlement)
  return { task: settled ?? (await site.tasks.task(task.id)) ?? task, row }
}

function settlementOf(termination: Termination): Omit<TaskSettlement, 'invocation'> {
  if (termination.type === 'cancelled') return { to: 'cancelled', error: null }
  if (outcomeOf(termination) === 'completed') return { to: 'completed', error: null }
  return { to: 'failed', error: { code: termination.type, message: `Elsewhere, ${describeEnd(termination)}.` } }
}

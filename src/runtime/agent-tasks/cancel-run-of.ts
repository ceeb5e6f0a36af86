import type { Task } from '../../core/task/task.ts'
import type { CancelOptions } from '../threads/cancel-run.ts'
import { type AgentTasksDeps, runOf } from './agent-task.ts'

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
    // As soon as the wish is on record, the owner of the run carries it out.
    const { run } = await holdpoint.thread(row.thread_id)
    if (run?.id !== row.id || run.cancel === null) throw thrown
  }
}

import { isAgentActor } from '../../../core/people/agent-actor.ts'
import { taskRefusals } from '../../../core/refusals/task-refusals.ts'
import type { ControlContext } from '../../../ports/agent/control.ts'
import { runPath } from '../../views/run-path.ts'
import { parentOf } from '../agent-task.ts'
import type { HoldDeps } from './hold-controls.ts'

/**
 * An agent stops only what it started itself, or what that started, and gives nothing else more to do.
 * @throws RefusedError `not_your_task`
 */
export async function refuseForeign(
  { taskDeps: deps }: HoldDeps,
  taskId: string,
  { context: { actor, runId }, wish }: { readonly context: ControlContext; readonly wish: string },
): Promise<void> {
  if (runId === null && !isAgentActor(actor)) return
  const task = await deps.tasks.task(taskId)
  const parent = task && parentOf(task)
  const path = parent === null ? [] : await runPath(deps.store, parent)
  if (task === null || path.some(({ run_id }) => run_id === runId)) return
  throw taskRefusals.notYourTask(taskId, wish)
}

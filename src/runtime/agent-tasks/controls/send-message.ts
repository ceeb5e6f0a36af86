import { unknownTask } from '../../../core/task/unknown-task.ts'
import type { Fits } from '../../../core/text/json-schema.ts'
import type { ControlContext } from '../../../ports/agent/control.ts'
import type { AgentSummary } from '../../face/agents.ts'
import { lookAtAgent } from '../../fleet/look-at-agent.ts'
import { sendToAgent } from '../../fleet/send-to-agent.ts'
import type { Sent, WhileWaiting } from '../../threads/send-message.ts'
import { runOf } from '../agent-task.ts'
import { notAnAgent } from '../resume-task.ts'
import type { HoldDeps } from './hold-controls.ts'
import { refuseForeign } from './own-tasks.ts'
import type { MESSAGE_INPUT } from './task-schemas.ts'

/** The outcome of a message, and the agent's status afterwards. */
export type SentMessage = Pick<Sent, 'outcome' | 'run_id'> & Pick<AgentSummary, 'status' | 'because'>

/** @throws RefusedError; then no message was sent. */
export async function sendMessage(
  { taskDeps: deps }: HoldDeps,
  { task_id, text, input_id, ...mode }: Fits<typeof MESSAGE_INPUT>,
  context: ControlContext,
): Promise<SentMessage> {
  const task = await deps.tasks.task(task_id)
  if (task === null) throw unknownTask(task_id)
  if (runOf(task) === null) throw notAnAgent(task)
  await refuseForeign({ taskDeps: deps }, task_id, { context, wish: 'say anything to it' })
  const { actor: author, surface } = context
  const { outcome, run_id } = await sendToAgent(deps, await lookAtAgent(deps, task), {
    ...{ text, author, surface, whileWaiting: whileWaitingOf(mode) },
    ...(input_id !== undefined && { inputId: input_id }),
  })
  const { status, because } = (await lookAtAgent(deps, (await deps.tasks.task(task_id)) ?? task)).summary
  return { outcome, run_id, status, because }
}

function whileWaitingOf({ now, interrupt }: Pick<Fits<typeof MESSAGE_INPUT>, 'now' | 'interrupt'>): WhileWaiting {
  if (interrupt) return 'interrupt'
  return now ? 'supersede' : 'queue'
}

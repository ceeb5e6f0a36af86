import { unknownTask } from '../../../core/task/unknown-task.ts'
import type { ControlContext } from '../../../ports/agent/control.ts'
import type { AgentSummary } from '../../face/agents.ts'
import { lookAtAgent } from '../../fleet/look-at-agent.ts'
import { sendToAgent } from '../../fleet/send-to-agent.ts'
import type { Sent, WhileWaiting } from '../../threads/send-message.ts'
import { runOf } from '../agent-task.ts'
import { notAnAgent } from '../resume-task.ts'
import type { HoldDeps } from './hold-controls.ts'
import { refuseForeign } from './own-tasks.ts'

interface MessageArguments {
  readonly task_id: string
  readonly text: string
  readonly now?: boolean
  readonly interrupt?: boolean
  readonly input_id?: string
}

/** The outcome of a message, and how the agent stands now. */
export type SentMessage = Pick<Sent, 'outcome' | 'run_id'> & Pick<AgentSummary, 'status' | 'because'>

/** @throws RefusedError; then nothing was said. */
export async function sendMessage(
  { site }: HoldDeps,
  { task_id, text, input_id, ...mode }: MessageArguments,
  context: ControlContext,
): Promise<SentMessage> {
  const task = await site.tasks.task(task_id)
  if (task === null) throw unknownTask(task_id)
  if (runOf(task) === null) throw notAnAgent(task)
  await refuseForeign({ site }, task_id, { context, wish: 'say anything to it' })
  const { actor: author, surface } = context
  const { outcome, run_id } = await sendToAgent(site, await lookAtAgent(site, task), {
    ...{ text, author, surface, whileWaiting: whileWaitingOf(mode) },
    ...(input_id !== undefined && { inputId: input_id }),
  })
  const { status, because } = (await lookAtAgent(site, (await site.tasks.task(task_id)) ?? task)).summary
  return { outcome, run_id, status, because }
}

function whileWaitingOf({ now, interrupt }: Pick<MessageArguments, 'now' | 'interrupt'>): WhileWaiting {
  if (interrupt) return 'interrupt'
  return now ? 'supersede' : 'queue'
}

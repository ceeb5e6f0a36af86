/** The verbs by which tasks and holds are supervised, as agents, MCP clients and people are offered them (P8). */

import { plain } from '../../../core/plain/plain.ts'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import type { Control, ControlContext } from '../../../ports/agent/control.ts'
import type { Starter, TaskSummary, Tasks } from '../../face/tasks.ts'
import { askedChild, askedCommand, askedWait, type WaitArguments } from './control-arguments.ts'
import { decideHold, type HoldDeps, listHolds } from './hold-controls.ts'
import { DECIDE_INPUT, HOLDS_INPUT, HOLDS_SCHEMA, RECEIPT_SCHEMA } from './hold-schemas.ts'
import { MESSAGE_INPUT, SENT_SCHEMA } from './message-schemas.ts'
import { refuseForeign } from './own-tasks.ts'
import { sendMessage } from './send-message.ts'
import { listSupervised, supervised } from './supervised-tasks.ts'
import { pauseAnswer, type TaskAnswer } from './task-answer.ts'
import {
  CANCEL_INPUT,
  COMMAND_INPUT,
  DETAILS_INPUT,
  DETAILS_SCHEMA,
  LIST_INPUT,
  LIST_SCHEMA,
  RESUME_INPUT,
  SUBAGENT_INPUT,
  SUMMARY_SCHEMA,
  WAIT_INPUT,
  WAITED_SCHEMA,
} from './task-schemas.ts'

type Verb = (site: ControlDeps, args: never, context: ControlContext) => Promise<object>
type Row = Omit<Control, 'call'> & { readonly verb: Verb }

interface DetailsArguments {
  readonly task_id: string
  readonly output_bytes?: number
}

type ResumeArguments = TaskAnswer & { readonly task_id: string; readonly checkpoint_id?: string | null }

export interface ControlDeps extends HoldDeps {
  readonly agentTasks: Tasks
}

const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const STARTS = { readOnly: false, destructive: true, idempotent: false, openWorld: true }
const DECIDES = { readOnly: false, destructive: true, idempotent: true, openWorld: false }

const ROWS: readonly Row[] = [
  {
    name: 'run_command_task',
    title: 'Run a command as a task',
    description:
      'Starts a command as a task of its own and returns at once. The task outlives you; wait for it with wait_for_tasks. ' +
      'A command that exits with 10 is paused: somebody is needed. Give command or argv.',
    inputSchema: COMMAND_INPUT,
    outputSchema: SUMMARY_SCHEMA,
    hints: STARTS,
    verb: ({ agentTasks }, args: Parameters<typeof askedCommand>[0], context) =>
      agentTasks.startCommand(askedCommand(args), starterOf(context)),
  },
  {
    name: 'subagent_task',
    title: 'Start a sub-agent',
    description:
      'Starts an agent that works on its own, as a task, and returns at once. When it needs an approval or an answer the ' +
      'task is paused: get_task_details shows what it waits for, resume_task decides and goes on. It never may do more ' +
      'than you.',
    inputSchema: SUBAGENT_INPUT,
    outputSchema: SUMMARY_SCHEMA,
    hints: STARTS,
    verb: ({ agentTasks }, args: Parameters<typeof askedChild>[0], context) =>
      agentTasks.startAgent(askedChild(args), starterOf(context)),
  },
  {
    name: 'get_task_details',
    title: 'Look at a task',
    description:
      'Tells where a task stands: its status, what it waits for with every pending call in full, the end of its output, ' +
      'and each invocation it had.',
    inputSchema: DETAILS_INPUT,
    outputSchema: DETAILS_SCHEMA,
    hints: READS,
    verb: async ({ site, agentTasks }, { task_id, output_bytes }: DetailsArguments, context) => {
      const [details] = await supervised(site, [await agentTasks.details(task_id, askerOf(context), output_bytes)])
      return details ?? {}
    },
  },
  {
    name: 'get_all_tasks',
    title: 'List tasks',
    description:
      'Lists tasks, the newest first, a page at a time. With agent_status only agents, those that need somebody first.',
    inputSchema: LIST_INPUT,
    outputSchema: LIST_SCHEMA,
    hints: READS,
    verb: listSupervised,
  },
  {
    name: 'wait_for_tasks',
    title: 'Wait for tasks',
    description:
      'Waits until one of the tasks (or all) is completed, failed, cancelled, timed out or paused. When the wait itself ' +
      'ends first, timed_out is true: wait again.',
    inputSchema: WAIT_INPUT,
    outputSchema: WAITED_SCHEMA,
    hints: { ...READS, readOnly: false },
    verb: async ({ site, agentTasks }, args: WaitArguments, context) => {
      const { timed_out, tasks } = await askedWait(agentTasks, args, context)
      return { timed_out, tasks: await supervised(site, tasks) }
    },
  },
  {
    name: 'cancel_task',
    title: 'Cancel a task',
    description: 'Stops a task with everything that it started, or clears one that is paused. It cannot be resumed.',
    inputSchema: CANCEL_INPUT,
    outputSchema: SUMMARY_SCHEMA,
    hints: DECIDES,
    verb: async (site, { task_id, reason }: { task_id: string; reason?: string }, context) => {
      await refuseForeign(site, task_id, { context, wish: 'stop it' })
      return site.agentTasks.cancel(task_id, { ...askerOf(context), reason: reason ?? null })
    },
  },
  {
    name: 'resume_task',
    title: 'Decide what a paused agent waits for, or say more, and go on',
    description:
      'Gives a paused sub-agent what it waits for: tool_decisions where calls wait for approval, prompt where it asked a ' +
      'question or waits for a text. Exactly one of the two. A prompt also gives a sub-agent that is done more to do: it ' +
      'remembers the conversation. Then wait_for_tasks again: it keeps its task_id.',
    inputSchema: RESUME_INPUT,
    outputSchema: SUMMARY_SCHEMA,
    hints: { ...STARTS, openWorld: true },
    verb: (site, args: ResumeArguments, context) => resumeTask(site, args, context),
  },
  {
    name: 'send_message',
    title: 'Say something to an agent',
    description:
      'Says something to a sub-agent, however it stands: one that works takes it in at its next step, one that waits for a ' +
      'message or is done goes on with it. Calls that wait for a decision still wait. Then wait_for_tasks again.',
    inputSchema: MESSAGE_INPUT,
    outputSchema: SENT_SCHEMA,
    hints: STARTS,
    verb: sendMessage,
  },
  {
    name: 'list_holds',
    title: 'List what waits for a decision',
    description:
      'Lists holds, the oldest first: points past which a run may not go until somebody decides. Also those of ' +
      'sub-agents of sub-agents; path tells whose they are.',
    inputSchema: HOLDS_INPUT,
    outputSchema: HOLDS_SCHEMA,
    hints: READS,
    verb: listHolds,
  },
  {
    name: 'decide_hold',
    title: 'Decide a hold',
    description:
      'Approves, rejects, edits, answers or cancels what is held. One decision wins; whoever comes second is told who ' +
      'was first. Where a task waited for it, the task goes on.',
    inputSchema: DECIDE_INPUT,
    outputSchema: RECEIPT_SCHEMA,
    hints: DECIDES,
    verb: decideHold,
  },
]

/** The names of all. A parent passes them on to a sub-agent only by name. */
export const CONTROL_NAMES: readonly string[] = ROWS.map(({ name }) => name)

/** `site` is asked when one is used. */
export function agentControls(site: () => Promise<ControlDeps>): readonly Control[] {
  return ROWS.map(({ verb, ...row }) => ({
    ...row,
    call: async (args, context) => plain((await verb(await site(), args as never, context)) as Json) as JsonObject,
  }))
}

async function resumeTask(
  site: ControlDeps,
  { task_id, checkpoint_id = null, ...said }: ResumeArguments,
  context: ControlContext,
): Promise<TaskSummary> {
  const answer = pauseAnswer(said)
  const task = answer.prompt === null ? null : await site.site.tasks.task(task_id)
  // P1: a decision is a matter of the hold; more work is one of the starter.
  if (task && task.status !== 'paused') await refuseForeign(site, task_id, { context, wish: 'give it more to do' })
  return site.agentTasks.resume(task_id, { answer, checkpoint_id, asker: askerOf(context) })
}

function askerOf({ actor: by, surface }: ControlContext): { by: string; surface: string } {
  return { by, surface }
}

function starterOf(context: ControlContext): Starter {
  const { runId, isGated } = context
  return { ...askerOf(context), runId, ...(isGated && { isGated }) }
}

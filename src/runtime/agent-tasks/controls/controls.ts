/** The verbs by which tasks and holds are supervised, as agents, MCP clients and people are offered them (P8). */

import { plain } from '../../../core/plain/plain.ts'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import type { Fits, Schema } from '../../../core/text/json-schema.ts'
import type { Control, ControlContext } from '../../../ports/agent/control.ts'
import type { Starter, TaskSummary, Tasks } from '../../face/tasks.ts'
import { askedChild, askedCommand, askedWait } from './control-arguments.ts'
import { decideHold, type HoldDeps, listHolds, stopStarted, waitForStarted } from './hold-controls.ts'
import * as holds from './hold-schemas.ts'
import { refuseForeign } from './own-tasks.ts'
import { sendMessage } from './send-message.ts'
import { listSupervised, supervised } from './supervised-tasks.ts'
import { pauseAnswer } from './task-answer.ts'
import * as tasks from './task-schemas.ts'
export interface ControlDeps extends HoldDeps {
  readonly agentTasks: Tasks
}

const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const STARTS = { readOnly: false, destructive: true, idempotent: false, openWorld: true }
const DECIDES = { readOnly: false, destructive: true, idempotent: true, openWorld: false }

type Verb = (deps: ControlDeps, args: never, context: ControlContext) => Promise<object>
type Row = Omit<Control, 'call'> & { readonly verb: Verb }

/** A row of the table: its verb takes what fits its schema. */
function control<Args extends object>(
  row: Omit<Row, 'inputSchema' | 'verb'> & {
    readonly inputSchema: Schema<Args>
    readonly verb: (deps: ControlDeps, args: Args, context: ControlContext) => Promise<object>
  },
): Row {
  return row
}

const ROWS: readonly Row[] = [
  control({
    name: 'run_command_task',
    role: 'admin',
    title: 'Run a command as a task',
    description:
      'Starts a command as a task of its own and returns at once. The task outlives you; wait for it with wait_for_tasks. ' +
      'A command that exits with 10 is paused: somebody is needed. Give command or argv.',
    inputSchema: tasks.COMMAND_INPUT,
    outputSchema: tasks.SUMMARY_SCHEMA,
    hints: STARTS,
    verb: ({ agentTasks }, args, context) => agentTasks.startCommand(askedCommand(args), starterOf(context)),
  }),
  control({
    name: 'subagent_task',
    role: 'operator',
    title: 'Start a sub-agent',
    description:
      'Starts an agent that works on its own, as a task, and returns at once. When it needs an approval or an answer the ' +
      'task is paused: get_task_details shows what it waits for, resume_task decides and goes on. It never may do more ' +
      'than you.',
    inputSchema: tasks.SUBAGENT_INPUT,
    outputSchema: tasks.SUMMARY_SCHEMA,
    hints: STARTS,
    verb: ({ agentTasks }, args, context) => agentTasks.startAgent(askedChild(args), starterOf(context)),
  }),
  control({
    name: 'get_task_details',
    role: 'viewer',
    title: 'Look at a task',
    description:
      'Tells where a task stands: its status, what it waits for with every pending call in full, the end of its output, ' +
      'and each invocation it had.',
    inputSchema: tasks.DETAILS_INPUT,
    outputSchema: tasks.DETAILS_SCHEMA,
    hints: READS,
    verb: async ({ taskDeps, agentTasks }, { task_id, output_bytes }, context) => {
      const [details] = await supervised(taskDeps, [await agentTasks.details(task_id, askerOf(context), output_bytes)])
      return details ?? {}
    },
  }),
  control({
    name: 'get_all_tasks',
    role: 'viewer',
    title: 'List tasks',
    description:
      'Lists tasks, the newest first, a page at a time. With agent_status only agents, those that need somebody first.',
    inputSchema: tasks.LIST_INPUT,
    outputSchema: tasks.LIST_SCHEMA,
    hints: READS,
    verb: listSupervised,
  }),
  control({
    name: 'wait_for_tasks',
    role: 'viewer',
    title: 'Wait for tasks',
    description:
      'Waits until one of the tasks (or all) is completed, failed, cancelled, timed out or paused. When the wait itself ' +
      'ends first, timed_out is true: wait again.',
    inputSchema: tasks.WAIT_INPUT,
    outputSchema: tasks.WAITED_SCHEMA,
    hints: { ...READS, readOnly: false },
    verb: async ({ taskDeps, agentTasks }, args, context) => {
      const { timed_out, tasks } = await askedWait(agentTasks, args, context)
      return { timed_out, tasks: await supervised(taskDeps, tasks) }
    },
  }),
  control({
    name: 'cancel_task',
    role: 'operator',
    title: 'Cancel a task',
    description: 'Stops a task with everything that it started, or clears one that is paused. It cannot be resumed.',
    inputSchema: tasks.CANCEL_INPUT,
    outputSchema: tasks.SUMMARY_SCHEMA,
    hints: DECIDES,
    verb: async (deps, { task_id, reason }, context) => {
      await refuseForeign(deps, task_id, { context, wish: 'stop it' })
      return deps.agentTasks.cancel(task_id, { ...askerOf(context), reason: reason ?? null })
    },
  }),
  control({
    name: 'resume_task',
    role: 'operator',
    title: 'Decide what a paused agent waits for, or say more, and go on',
    description:
      'Gives a paused sub-agent what it waits for: tool_decisions where calls wait for approval, prompt where it asked a ' +
      'question or waits for a text. Exactly one of the two. A prompt also gives a sub-agent that is done more to do: it ' +
      'remembers the conversation. Then wait_for_tasks again: it keeps its task_id.',
    inputSchema: tasks.RESUME_INPUT,
    outputSchema: tasks.SUMMARY_SCHEMA,
    hints: { ...STARTS, openWorld: true },
    verb: resumeTask,
  }),
  control({
    name: 'send_message',
    role: 'operator',
    title: 'Say something to an agent',
    description:
      'Says something to a sub-agent, however it stands: one that works takes it in at its next step, one that waits for a ' +
      'message or is done goes on with it. Calls that wait for a decision still wait. Then wait_for_tasks again.',
    inputSchema: tasks.MESSAGE_INPUT,
    outputSchema: tasks.SENT_SCHEMA,
    hints: STARTS,
    verb: sendMessage,
  }),
  control({
    name: 'list_holds',
    role: 'viewer',
    title: 'List what waits for a decision',
    description:
      'Lists holds, the oldest first: points past which a run may not go until somebody decides. Also those of ' +
      'sub-agents of sub-agents; path tells whose they are.',
    inputSchema: holds.HOLDS_INPUT,
    outputSchema: holds.HOLDS_SCHEMA,
    hints: READS,
    verb: listHolds,
  }),
  control({
    name: 'decide_hold',
    role: 'decider',
    title: 'Decide a hold',
    description:
      'Approves, rejects, edits, answers or cancels what is held. One decision wins; whoever comes second is told who ' +
      'was first. Where a task waited for it, the task goes on.',
    inputSchema: holds.DECIDE_INPUT,
    outputSchema: holds.RECEIPT_SCHEMA,
    hints: DECIDES,
    verb: decideHold,
  }),
  control({
    name: 'wait_for_started',
    role: 'viewer',
    title: 'Wait for what a call in doubt had started',
    description:
      'Waits until the command of a call in doubt runs no more, and tells its last status and what it printed. It decides ' +
      'nothing: decide_hold does.',
    inputSchema: holds.WAIT_FOR_STARTED_INPUT,
    outputSchema: holds.STARTED_SCHEMA,
    hints: READS,
    verb: waitForStarted,
  }),
  control({
    name: 'stop_started',
    role: 'decider',
    title: 'Stop what a call in doubt had started',
    description:
      'Stops the command of a call in doubt, if it still runs on this machine. It decides nothing: decide_hold does.',
    inputSchema: holds.STOP_INPUT,
    outputSchema: holds.STARTED_SCHEMA,
    hints: DECIDES,
    verb: stopStarted,
  }),
]

/** The names of all. A parent passes them on to a sub-agent only by name. */
export const CONTROL_NAMES: readonly string[] = ROWS.map(({ name }) => name)

/** Calls `deps` when a control is used. */
export function agentControls(deps: () => Promise<ControlDeps>): readonly Control[] {
  return ROWS.map(({ verb, ...row }) => ({
    ...row,
    call: async (args, context) => plain((await verb(await deps(), args as never, context)) as Json) as JsonObject,
  }))
}

async function resumeTask(
  deps: ControlDeps,
  { task_id, checkpoint_id: shown, ...request }: Fits<typeof tasks.RESUME_INPUT>,
  context: ControlContext,
): Promise<TaskSummary> {
  const answer = pauseAnswer(request)
  const task = answer.prompt === null ? null : await deps.taskDeps.tasks.task(task_id)
  // P1: a decision is a matter of the hold; more work is one of the starter.
  if (task && task.status !== 'paused') await refuseForeign(deps, task_id, { context, wish: 'give it more to do' })
  return deps.agentTasks.resume(task_id, { answer, checkpoint_id: shown ?? null, asker: askerOf(context) })
}

function askerOf({ actor: by, surface }: ControlContext): { by: string; surface: string } {
  return { by, surface }
}

function starterOf(context: ControlContext): Starter {
  const { runId, isGated } = context
  return { ...askerOf(context), runId, ...(isGated && { isGated }) }
}

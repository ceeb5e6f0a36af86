/** `holdpoint tasks`: the same controls as agents and MCP clients have, for people and pipelines (P8). */

import { AGENT_STATUSES, type AgentStatus } from '../../../core/fleet/agent-status.ts'
import type { RunWarning } from '../../../core/run/warnings/run-warning.ts'
import { TASK_STATUSES } from '../../../core/task/task.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { TaskSummary, TasksWaited } from '../../../runtime/face/tasks.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf, pageAfter, secondsIn } from '../../command/flag-values.ts'
import { withFullIds } from '../../command/full-id.ts'
import { runVerb, type Verb } from '../../command/verbs.ts'
import type { App } from '../../compose/compose.ts'
import { ago } from '../../display/ago.ts'
import { type List, listText } from '../../display/list.ts'
import { ProgressMeter } from '../../display/progress-meter.ts'
import { signer } from '../../process/actor.ts'
import { exitCodeOf, watchForStop } from '../../process/interruption.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { sessionRefusals } from '../../refusals/session-refusals.ts'
import { tellsHosts } from '../another-host.ts'
import { onlyWord, openForReading, openToLook, refuseWords } from '../open-for-reading.ts'
import { detailsText } from './task-details-text.ts'
import { exitCodeOfTasks, howItStands, STATUS_STYLES, standingText, taskNamed } from './task-text.ts'

const DECISIONS = ['approve', 'reject', 'approve-all', 'reject-all', 'edit', 'answer', 'digest']
const EVERYWHERE: readonly string[] = ['store', 'server', 'json']

const VERBS: Readonly<Record<string, Verb>> = {
  list: { flags: ['status', 'limit', 'after'], load: async () => listTasks },
  show: { flags: [], load: async () => showTask },
  logs: { flags: ['follow', 'invocation'], load: async () => (await import('./task-logs.ts')).taskLogs },
  wait: { flags: ['any', 'timeout'], load: async () => waitForTasks },
  cancel: { flags: ['reason'], load: async () => cancelTask },
  resume: {
    flags: [...DECISIONS, 'reason', 'checkpoint'],
    load: async () => (await import('./resume-task.ts')).resumeTask,
  },
}

export async function run(context: CommandContext): Promise<number> {
  return runVerb(context, { command: 'tasks', verbs: VERBS, everywhere: EVERYWHERE })
}

async function listTasks(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'tasks list')
  refuseAgentStatus(given)
  const status = oneOf(given, 'status', TASK_STATUSES)
  const after = given.value('after')
  const query = { limit: limitIn(given), ...(status && { status }), ...(after !== null && { after }) }
  await using app = await openToLook(context)
  const { tasks, next } = await app.holdpoint.tasks.list(await withFullIds(app.holdpoint, query))
  io.out(json ? jsonLine(tasks) : listText(context, tasks, tasksText(await tellsHosts(context, app, tasks))))
  if (next !== null && !json) io.err(`There may be more: ${pageAfter(given, next, ['tasks', 'status', 'limit'])}`)
  return 0
}

/** @throws RefusedError `invalid_arguments` for a status that agents alone have */
function refuseAgentStatus(given: CommandContext['given']): void {
  const status = given.value('status') as AgentStatus | null
  const isOfAgents = status !== null && AGENT_STATUSES.includes(status)
  if (!isOfAgents || (TASK_STATUSES as readonly string[]).includes(status)) return
  throw sessionRefusals.statusOfAgents(status, TASK_STATUSES)
}

const tasksText = (isShared: boolean): List<TaskSummary> => ({
  empty: 'No tasks.\n',
  plain: {
    TASK: task => task.task_id,
    STATUS: task => task.status,
    ...(isShared && { HOST: (task: TaskSummary) => task.host }),
    KIND: task => task.kind,
    INVOCATIONS: task => task.invocations,
    UPDATED: task => task.updated_at,
    TITLE: task => task.title,
  },
  screen: [
    { head: 'HOST', value: task => (isShared ? (task.host ?? '-') : ''), style: 'dim' },
    { head: 'TASK', value: task => task.task_id, style: 'bold' },
    { head: 'STATUS', least: 8, value: howItStands, style: task => STATUS_STYLES[task.status] },
    { head: 'KIND', value: task => task.kind },
    { head: 'WHEN', value: (task, now) => ago(task.updated_at, now), style: 'dim' },
    { head: 'TITLE', least: 12, value: task => task.title },
  ],
})

async function showTask(context: CommandContext, words: readonly string[]): Promise<number> {
  const word = onlyWord(words, 'tasks show TASK')
  await using app = await openToLook(context)
  const id = await taskNamed(app.holdpoint, word)
  await tellTask(context, app, id)
  return 0
}

/** `agent`: it is shown as that. */
export async function tellTask(context: CommandContext, app: App, id: string, agent?: AgentSummary): Promise<void> {
  const { io, json, env } = context
  const task = await app.holdpoint.tasks.details(id, signer(env))
  if (json) io.out(jsonLine(task))
  if (json) return
  const path = await pathOf(app, task.run_id ?? task.parent_run_id)
  io.out(detailsText(context, { task, path, warnings: await warningsOf(app, task), agent }))
}

/** Empty if its run is in this store no more. */
export async function warningsOf(
  { holdpoint }: App,
  { run_id, session_id }: Pick<TaskSummary, 'run_id' | 'session_id'>,
): Promise<readonly RunWarning[]> {
  return run_id === null || session_id === null ? [] : (await holdpoint.run(run_id)).warnings
}

async function pathOf({ holdpoint }: App, runId: string | null): Promise<Parameters<typeof detailsText>[1]['path']> {
  return runId === null ? [] : ((await holdpoint.runPaths([runId])).get(runId) ?? [])
}

async function cancelTask(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  const word = onlyWord(words, 'tasks cancel TASK')
  await using app = await openForReading(context)
  const id = await taskNamed(app.holdpoint, word)
  const asker = { ...signer(env), reason: given.value('reason') }
  const task = await app.holdpoint.tasks.cancel(id, asker)
  if (task.status !== 'cancelled') throw sessionRefusals.taskOver(task.task_id, task.status)
  io.out(json ? jsonLine(task) : standingText(task))
  return 0
}

/** Resolves to the exit code of the tasks. They go on, even if the wait ends early. */
async function waitForTasks(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env } = context
  if (words.length === 0)
    throw argumentRefusals.usage('tasks wait TASK… [--any] [--timeout SECONDS]', '`holdpoint tasks` lists them.')
  const until = given.has('any') ? 'any' : 'all'
  const seconds = secondsIn(given, 'Write --timeout 600; without it the wait takes as long as it takes.')
  using stop = watchForStop()
  await using app = await openForReading(context)
  const tasks = app.holdpoint.tasks
  const asker = signer(env)
  const ids = await Promise.all(words.map(word => taskNamed(app.holdpoint, word)))
  const waited = await telling(context, ids.length, () =>
    tasks.wait([...new Set(ids)], { until, seconds, asker, signal: stop.signal }),
  )
  tell(context, waited)
  const stoppedBy = stop.stoppedBy()
  if (stoppedBy) return exitCodeOf(stoppedBy)
  const statuses = waited.tasks.map(({ status }) => status)
  return waited.timed_out ? 1 : exitCodeOfTasks(statuses, until)
}

async function telling<T>(context: CommandContext, count: number, wait: () => Promise<T>): Promise<T> {
  using meter = new ProgressMeter(context, { label: `Waiting for ${count === 1 ? 'the task' : `${count} tasks`}` })
  using _ = meter.keepTelling()
  return await wait()
}

function tell({ io, json }: CommandContext, waited: TasksWaited): void {
  io.out(json ? jsonLine(waited) : waited.tasks.map(standingText).join(''))
  if (waited.timed_out && !json) io.err('holdpoint: the wait is over, and the tasks go on.\n')
}

/** Tasks as documents: the same for agents, over MCP and on the command line (P8). */

import type { Hold } from '../../core/hold/hold.ts'
import type { Requester } from '../../core/task/task-move.ts'
import type { OutputStream, TaskOutput } from '../../ports/process/task-manager.ts'
import type { TaskDetails, TaskPause, TaskSummary } from '../face/tasks.ts'
import { agentMessage, type PauseReason, pauseReason } from '../views/pause-reason.ts'
import { type RunView, runResult } from '../views/run-view.ts'
import type { AgentTasksDeps } from './agent-task.ts'
import { AGENT, isHere, isReady, runFields, statusNow, type TaskWithRun, waitsForSomebody } from './agent-task.ts'
import { settleTask } from './settle-task.ts'

export function taskSummary(deps: AgentTasksDeps, reported: TaskWithRun): TaskSummary {
  const { task } = reported
  const { invocation } = task
  return {
    task_id: task.id,
    kind: task.kind,
    title: task.title,
    ...(task.host !== null && { host: task.host }),
    status: statusNow(deps, reported),
    ...runFields(reported),
    invocations: invocation.n,
    exit_code: invocation.exit_code,
    signal: invocation.signal,
    error: invocation.error,
    created_at: task.created_at,
    updated_at: task.updated_at,
  }
}

export async function taskDetails(
  deps: AgentTasksDeps,
  reported: TaskWithRun,
  { outputBytes, asker }: { readonly outputBytes: number; readonly asker: Requester },
): Promise<TaskDetails> {
  const { task, row } = reported
  const view = row === null ? null : await deps.holdpoint.run(row.id)
  if (view?.status === 'waiting') await showHolds(deps, view.holds, asker)
  const output = async (stream: OutputStream) =>
    isHere(deps, task)
      ? await deps.tasks.output(task.id, { stream, from: -outputBytes, limit: outputBytes })
      : outputThere(task.invocation[`${stream}_bytes`] ?? 0)
  return {
    ...taskSummary(deps, reported),
    checkpoint_id: view?.checkpoint_id ?? null,
    workdir: task.workdir,
    timeout_seconds: task.timeout_ms === null ? null : task.timeout_ms / 1000,
    pause_reason: taskPauseReason(reported, view),
    pause: taskPause(reported, view),
    result: view && runResult(view),
    stdout: await output('stdout'),
    stderr: await output('stderr'),
    history: await deps.tasks.invocations(task.id),
    children: row === null ? [] : await childrenOf(deps, row.id),
  }
}

/** This host keeps none of the output of a task on another host. */
function outputThere(size: number): TaskOutput {
  return { text: '', from: size, next: size, size, missing: size }
}

function taskPause(reported: TaskWithRun, view: RunView | null): TaskPause | null {
  if (!waitsForSomebody(reported)) return null
  if (view === null) return { ...NO_CHECKPOINT, note: noteOn(reported) }
  const ready = isReady(reported)
  return {
    checkpoint_id: view.checkpoint_id,
    resumable: true,
    ready,
    note: ready ? 'Everything is decided: whoever waits for the task or resumes it goes on with it.' : null,
    agent_message: agentMessage(view),
  }
}

function taskPauseReason(reported: TaskWithRun, view: RunView | null): PauseReason | null {
  return view !== null && waitsForSomebody(reported) ? pauseReason(view) : null
}

const NO_CHECKPOINT: Omit<TaskPause, 'note'> = {
  checkpoint_id: null,
  resumable: false,
  ready: false,
  agent_message: null,
}

function noteOn({ task }: TaskWithRun): string {
  return task.kind === AGENT
    ? `Its run ${task.subject} is no longer in this store, so it cannot be resumed. Cancelling the task clears it.`
    : 'It exited with 10, which means that somebody is needed, but it was not started as an agent: there is no checkpoint, and only whoever knows the command knows how to go on. Cancelling the task clears it.'
}

async function childrenOf(deps: AgentTasksDeps, runId: string): Promise<readonly TaskSummary[]> {
  const rows = await deps.store.runs({ parent_run_id: runId })
  const tasks = await Promise.all(rows.map(row => deps.tasks.tasks({ subject: row.id, limit: 1 })))
  return Promise.all(tasks.flat().map(async task => taskSummary(deps, await settleTask(deps, task))))
}

/** P10: puts on record who is about to see these open holds in full. */
export async function showHolds(
  { holdpoint }: AgentTasksDeps,
  holds: readonly Hold[],
  { by: to, surface }: Requester,
): Promise<void> {
  const open = holds.filter(({ status }) => status === 'open').map(({ id }) => id)
  if (open.length > 0) await holdpoint.audit.shown(open, { to, surface, inFull: true })
}

/** Tasks as documents: the same for agents, over MCP and on the command line (P8). */

import type { Requester } from '../../core/task/task-move.ts'
import type { OutputStream, TaskOutput } from '../../ports/process/task-manager.ts'
import type { TaskDetails, TaskPause, TaskSummary } from '../face/tasks.ts'
import { agentMessage, type PauseReason, pauseReason } from '../views/pause-reason.ts'
import type { RunView } from '../views/run-view.ts'
import {
  AGENT,
  type AgentTasksDeps,
  isHere,
  isReady,
  parentOf,
  type Standing,
  statusNow,
  waitsForSomebody,
} from './agent-task.ts'
import { settleTask } from './settle-task.ts'
import { showHolds } from './show-holds.ts'

export function taskSummary(site: AgentTasksDeps, standing: Standing): TaskSummary {
  const { task, row } = standing
  const { invocation } = task
  return {
    task_id: task.id,
    kind: task.kind,
    title: task.title,
    ...(task.host !== null && { host: task.host }),
    status: statusNow(site, standing),
    run_id: task.kind === AGENT ? task.subject : null,
    session_id: row?.thread_id ?? null,
    checkpoint_id: row?.checkpoint_id ?? null,
    parent_run_id: parentOf(task),
    invocations: invocation.n,
    exit_code: invocation.exit_code,
    signal: invocation.signal,
    error: invocation.error,
    created_at: task.created_at,
    updated_at: task.updated_at,
  }
}

export async function taskDetails(
  site: AgentTasksDeps,
  standing: Standing,
  { outputBytes, asker }: { readonly outputBytes: number; readonly asker: Requester },
): Promise<TaskDetails> {
  const { task, row } = standing
  const view = row === null ? null : await site.holdpoint.run(row.id)
  if (view?.status === 'waiting') await showHolds(site, view.holds, asker)
  const output = async (stream: OutputStream) =>
    isHere(site, task)
      ? await site.tasks.output(task.id, { stream, from: -outputBytes, limit: outputBytes })
      : outputThere(task.invocation[`${stream}_bytes`] ?? 0)
  return {
    ...taskSummary(site, standing),
    checkpoint_id: view?.checkpoint_id ?? null,
    workdir: task.workdir,
    timeout_seconds: task.timeout_ms === null ? null : task.timeout_ms / 1000,
    pause_reason: taskPauseReason(standing, view),
    pause: taskPause(standing, view),
    result: view?.termination ? { final_message: view.answer, termination: view.termination } : null,
    stdout: await output('stdout'),
    stderr: await output('stderr'),
    history: await site.tasks.invocations(task.id),
    children: row === null ? [] : await childrenOf(site, row.id),
  }
}

/** None of it is kept on this host. */
function outputThere(size: number): TaskOutput {
  return { text: '', from: size, next: size, size, missing: size }
}

function taskPause(standing: Standing, view: RunView | null): TaskPause | null {
  if (!waitsForSomebody(standing)) return null
  if (view === null) return { ...NO_CHECKPOINT, note: noteOn(standing) }
  const ready = isReady(standing)
  return {
    checkpoint_id: view.checkpoint_id,
    resumable: true,
    ready,
    note: ready ? 'Everything is decided: whoever waits for the task or resumes it goes on with it.' : null,
    agent_message: agentMessage(view),
  }
}

function taskPauseReason(standing: Standing, view: RunView | null): PauseReason | null {
  return view !== null && waitsForSomebody(standing) ? pauseReason(view) : null
}

const NO_CHECKPOINT: Omit<TaskPause, 'note'> = {
  checkpoint_id: null,
  resumable: false,
  ready: false,
  agent_message: null,
}

function noteOn({ task }: Standing): string {
  return task.kind === AGENT
    ? `Its run ${task.subject} is no longer in this store, so it cannot be resumed. Cancelling the task clears it.`
    : 'It exited with 10, which means that somebody is needed, but it was not started as an agent: there is no checkpoint, and only whoever knows the command knows how to go on. Cancelling the task clears it.'
}

async function childrenOf(site: AgentTasksDeps, runId: string): Promise<readonly TaskSummary[]> {
  const rows = await site.store.runs({ parent_run_id: runId })
  const found = await Promise.all(rows.map(row => site.tasks.tasks({ subject: row.id, limit: 1 })))
  return Promise.all(found.flat().map(async task => taskSummary(site, await settleTask(site, task))))
}

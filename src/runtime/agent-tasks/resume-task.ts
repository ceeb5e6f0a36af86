/**
 * Turns an answer to a waiting task into its next invocation. Keeps P2: the answer is recorded first, all of it or
 * nothing, and signed by its author. The next process is given only the checkpoint. If two callers resume, one process
 * starts.
 */

import type { Receipt } from '../../core/deciding/receipt.ts'
import { RefusedError, refused } from '../../core/errors.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import { taskRefusals } from '../../core/refusals/task-refusals.ts'
import type { Task } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import type { TaskResumption } from '../face/tasks.ts'
import { earlierDecisions, pauseDecisions } from '../pauses/pause-decisions.ts'
import { type AgentTasksDeps, isHere, runOf, type TaskWithRun, waitsForSomebody, waitsForTurn } from './agent-task.ts'
import { nextRun, takesMore } from './next-run.ts'
import { sameDecisionId } from './same-decision-id.ts'
import { settleTask } from './settle-task.ts'

/** Milliseconds that the process of an agent may take to leave. */
const LEAVES_MS = 5_000

interface Resumption extends TaskResumption {
  readonly task: Task
}

/** @throws RefusedError; then nothing was recorded and nothing started. */
export async function resumeTask(deps: AgentTasksDeps, resumption: Resumption): Promise<Task> {
  const { task, row } = await settleTask(deps, resumption.task)
  const runId = runOf(task)
  if (runId === null) throw notAnAgent(task)
  const { prompt } = resumption.answer
  if (prompt !== null && takesMore({ task, row })) return tellMore(deps, task, { ...resumption, prompt })
  if (row === null || !waitsForSomebody({ task, row })) throw notPaused({ task, row })
  const decisions = await decisionsFor(deps, runId, { ...resumption, task })
  const receipts = decisions.length > 0 ? await deps.record(decisions) : []
  for (const receipt of receipts) refuseUnrecorded(receipt)
  const pair = await settledTaskOf(deps, runId)
  if (pair && mayGoOn(pair)) return nextInvocation(deps, pair, resumption.asker)
  return pair?.task ?? task
}

async function tellMore(
  deps: AgentTasksDeps,
  task: Task,
  { checkpoint_id, prompt, asker }: Resumption & { readonly prompt: string },
): Promise<Task> {
  const view = await deps.holdpoint.run(runOf(task) ?? '')
  if (checkpoint_id !== null && checkpoint_id !== view.checkpoint_id)
    throw taskRefusals.movedOn(checkpoint_id, view.checkpoint_id)
  return nextRun(deps, task, { view, prompt, asker })
}

/** The next invocation of a task whose run is ready and has no owner; `null` if there is none. */
export async function goOn(deps: AgentTasksDeps, runId: string, asker: Requester): Promise<Task | null> {
  const pair = await settledTaskOf(deps, runId)
  if (!pair || !mayGoOn(pair)) return pair?.task ?? null
  if (isHere(deps, pair.task)) await rehearse(deps, runId)
  return nextInvocation(deps, pair, asker)
}

/** An agent whose model or plugin failed goes on in its next run. `null` if its run did not end so. */
export async function goOnAfterError(
  deps: AgentTasksDeps,
  { task, row }: TaskWithRun,
  asker: Requester,
): Promise<Task | null> {
  if (row?.status !== 'done') return null
  const view = await deps.holdpoint.run(row.id)
  if (view.termination?.type !== 'error') return null
  // A run is over a little before its process.
  const [ended = task] = await deps.tasks.wait([task.id], { signal: AbortSignal.timeout(LEAVES_MS) })
  return takesMore({ task: ended, row }) ? nextRun(deps, ended, { view, prompt: null, asker }) : null
}

async function settledTaskOf(deps: AgentTasksDeps, runId: string): Promise<TaskWithRun | null> {
  const [task] = await deps.tasks.tasks({ subject: runId, limit: 1 })
  return task ? settleTask(deps, task) : null
}

/** @throws RefusedError if this process could not go on with the run: another one may. */
async function rehearse({ holdpoint, processes }: AgentTasksDeps, runId: string): Promise<void> {
  await processes.rehearseResume((await holdpoint.run(runId)).profile)
}

/** A failed task whose run did not end was interrupted: it can resume from there. */
function mayGoOn({ task, row }: TaskWithRun): boolean {
  return row?.status === 'running' && (task.status === 'paused' || task.status === 'failed')
}

/**
 * Asks the task's own host to resume it: the daemon there starts the next process of a paused task whose run is ready.
 * Nothing is started here.
 */
async function handOver({ store }: AgentTasksDeps, { task }: TaskWithRun): Promise<Task> {
  const place = { task_id: task.id, invocation: task.invocation.n, from: [task.status] }
  // A paused one stays as it is, but who watches it looks at it.
  const moved = task.status === 'failed' ? { ...place, to: 'paused' as const } : place
  return (await store.tasks.move(moved)) ?? (await store.tasks.task(task.id)) ?? task
}

async function nextInvocation(deps: AgentTasksDeps, pair: TaskWithRun, asker: Requester): Promise<Task> {
  const { task, row } = pair
  if (!isHere(deps, task)) return handOver(deps, pair)
  const { checkpoint_id } = await deps.holdpoint.run(row?.id ?? '')
  const { argv, environment } = deps.processes.attend({ checkpoint_id: checkpoint_id ?? '', pause_on: [] })
  try {
    return await deps.tasks.resume(task.id, {
      ...asker,
      invocation: task.invocation.n,
      argv,
      waits: waitsForTurn(deps.tasks, task),
      environment: { ...environment, HOLDPOINT_WITHIN: undefined },
    })
  } catch (thrown) {
    // Another process went on with it just now, which was the wish.
    const now = isMovedOn(thrown) ? await deps.tasks.task(task.id) : null
    if (now) return now
    throw thrown
  }
}

function isMovedOn(thrown: unknown): boolean {
  return thrown instanceof RefusedError && thrown.code === 'task_moved_on'
}

async function decisionsFor(
  deps: AgentTasksDeps,
  runId: string,
  { task, answer: request, checkpoint_id, asker }: Resumption,
): Promise<DecisionInput[]> {
  const { holdpoint, ids, processes } = deps
  const view = await holdpoint.run(runId)
  if (checkpoint_id !== null && checkpoint_id !== view.checkpoint_id)
    throw taskRefusals.movedOn(checkpoint_id, view.checkpoint_id)
  const place = await holdpoint.checkpoint(view.checkpoint_id ?? '')
  const by = { decided_by: asker.by, surface: asker.surface }
  const decisions = pauseDecisions({ request, by, view, earlier: earlierDecisions(view, place) })
  // If this process could not go on, it records nothing: another one may.
  if (isHere(deps, task)) await processes.rehearseResume(view.profile)
  // A caller who missed the answer and repeats the same decisions has made them once.
  return decisions.map(each => ({ ...each, decision_id: sameDecisionId(ids, each) }))
}

function refuseUnrecorded(receipt: Receipt): void {
  if (receipt.outcome === 'refused') throw receipt.error
  if (receipt.outcome === 'already_decided') throw alreadyDecided(receipt.hold.id, receipt.winner)
}

export function notAnAgent({ id, status }: Task): RefusedError {
  const why = status === 'paused' ? ': it exited with 10, but only it knows what it waits for' : ''
  return refused(
    'not_an_agent',
    `Task ${id} was not started as an agent, so there is no checkpoint to resume${why}.`,
    status === 'paused'
      ? 'Cancel it to clear it, and start it anew when what it waits for is there.'
      : 'Start it anew, or look at how it ended.',
  )
}

function notPaused({ task, row }: TaskWithRun): RefusedError {
  const { id, status } = task
  const goesOn = status === 'failed' && row?.status === 'running'
  const more = takesMore({ task, row }) ? ' A text gives it more to do.' : ''
  return new RefusedError('not_paused', `Task ${id} is ${status}, so there is nothing to decide in it.`, {
    hint: goesOn
      ? 'Its process ended before its run did. Nothing was changed.'
      : `Its details tell where it stands. Nothing was changed.${more}`,
    action: goesOn ? { do: 'resume_task', id } : null,
    details: { status },
  })
}

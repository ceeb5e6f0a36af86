/**
 * Supervises commands and agents as tasks. The process of an agent's task advances a run. The result is read from that
 * run, never from the output, so any process may advance the run.
 */

import { eachChange } from '../../async/each-change.ts'
import { RefusedError } from '../../core/errors.ts'
import { checkValue, TEXTS } from '../../core/given-fields.ts'
import { taskRefusals } from '../../core/refusals/task-refusals.ts'
import { waitsForTurn as isQueued } from '../../core/task/start-queue.ts'
import { type Invocation, TASK_RESTS, type Task } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import { unknownTask } from '../../core/task/unknown-task.ts'
import type { OutputRequest, TaskOutput } from '../../ports/process/task-manager.ts'
import type { TaskQuery } from '../../ports/store/fleet/task-registry.ts'
import type {
  ChildRequest,
  CommandRequest,
  Starter,
  TaskDetails,
  TaskPage,
  TaskResumption,
  TaskSummary,
  Tasks,
  TasksWaited,
  TaskWaitRequest,
} from '../face/tasks.ts'
import { givenId, taskQuery } from '../views/given-queries.ts'
import { type AgentTasksDeps, isHere, runOf, type TaskWithRun } from './agent-task.ts'
import { goOn, goOnAfterError, notAnAgent, resumeTask } from './resume-task.ts'
import { cancelRunOf, settleTask } from './settle-task.ts'
import { startChild } from './start-child.ts'
import { startCommand } from './start-command.ts'
import { taskDetails, taskSummary } from './task-report.ts'
import { startedBy } from './tasks-under-way.ts'
import { waitForTasks, watchesOf } from './wait-for-tasks.ts'

const PAGE = 50
const OUTPUT_BYTES = 8192

export class AgentTasks implements Tasks {
  readonly #deps: AgentTasksDeps
  /** Names of the tools by which agents use all this. */
  readonly #steering: readonly string[]

  constructor(deps: AgentTasksDeps, steering: readonly string[]) {
    this.#deps = deps
    this.#steering = steering
  }

  /** @throws RefusedError; then nothing was started. */
  async startCommand(request: CommandRequest, starter: Starter): Promise<TaskSummary> {
    return this.#summary({ task: await startCommand(this.#deps, request, starter), row: null })
  }

  /** @throws RefusedError; then nothing was started. */
  async startAgent(request: ChildRequest, starter: Starter): Promise<TaskSummary> {
    const task = await startChild(this.#deps, request, { starter, steering: this.#steering })
    return this.#summary(await settleTask(this.#deps, task))
  }

  /** @throws RefusedError `unknown_task` */
  async details(taskId: string, asker: Requester, outputBytes: number = OUTPUT_BYTES): Promise<TaskDetails> {
    return taskDetails(this.#deps, await this.#settled(taskId), { outputBytes, asker })
  }

  /** A piece of what a task printed. @throws RefusedError `unknown_task` */
  async output(taskId: string, request: OutputRequest): Promise<TaskOutput> {
    return this.#deps.tasks.output(taskId, request)
  }

  /**
   * Invocation `n` in its current state; the newest if `n` is `null`. @throws RefusedError `unknown_task`,
   * `unknown_invocation`
   */
  async invocation(taskId: string, n: number | null): Promise<Invocation> {
    const all = await this.#deps.tasks.invocations(taskId)
    const found = n === null ? all.at(-1) : all.find(each => each.n === n)
    if (found) return found
    await this.#task(taskId)
    throw taskRefusals.unknownInvocation(taskId, all.length, n)
  }

  /** Newest first. */
  async list(query: TaskQuery = {}): Promise<TaskPage> {
    const { limit = PAGE } = taskQuery(query)
    const found = await this.#deps.tasks.tasks({ ...query, limit })
    const settled = await Promise.all(found.map(async task => this.#summary(await settleTask(this.#deps, task))))
    // Tasks that ended elsewhere no longer match.
    const tasks = settled.filter(({ status }) => !TASK_RESTS[status] || status === (query.status ?? status))
    return { tasks, next: found.length < limit ? null : (found.at(-1)?.id ?? null) }
  }

  /**
   * Waits until one of the tasks, or each, is over or needs a person. The result is `timed_out` if the time is over or
   * the signal is aborted. Tasks whose holds were decided elsewhere are resumed first. @throws RefusedError
   * `unknown_task`
   */
  async wait(tasks: string | readonly string[], request: TaskWaitRequest): Promise<TasksWaited> {
    const { onProgress } = request
    const taskIds = checkValue('tasks.wait', typeof tasks === 'string' ? [tasks] : tasks, TEXTS)
    for (const id of taskIds) await this.#task(id)
    const load = () => this.#deps.tasks.tasks({ ids: taskIds })
    const { tasks: standings, timed_out } = await waitForTasks(this.#deps, load, {
      ...request,
      onProgress: seen => onProgress?.(seen.map(each => this.#summary(each))),
    })
    const inOrder = standings.toSorted((one, other) => taskIds.indexOf(one.task.id) - taskIds.indexOf(other.task.id))
    return { timed_out, tasks: inOrder.map(each => this.#summary(each)) }
  }

  /**
   * Stops what runs and ends its run, for good, and what its agent started with it. One that is over stays as it is.
   * @throws RefusedError `unknown_task`
   */
  async cancel(taskId: string, asker: Requester & { readonly reason?: string | null }): Promise<TaskSummary> {
    const { by, surface, reason = null } = asker
    const waiting = await this.#waiting(taskId)
    // A look would start one whose turn has come, and so would the end of its run.
    const task = waiting ?? (await this.#settled(taskId)).task
    if (!waiting) await cancelRunOf(this.#deps, task, { by, reason })
    const cancelled = await this.#deps.tasks.cancel(taskId, { by, surface })
    // The process of the task may have been the one that was to end the run.
    if (cancelled.status === 'cancelled') await cancelRunOf(this.#deps, task, { by, reason })
    // By now it starts no more of them.
    if (cancelled.status === 'cancelled') await this.#cancelStarted(task, { by, surface })
    return this.#summary(await settleTask(this.#deps, cancelled))
  }

  /**
   * Answers a paused agent, or gives a finished one its next message, and resumes it. @throws RefusedError; then the
   * task is unchanged.
   */
  async resume(taskId: string, resumption: TaskResumption): Promise<TaskSummary> {
    const { task } = await this.#settled(taskId)
    const resumed = await resumeTask(this.#deps, { task, ...resumption })
    return this.#summary(await settleTask(this.#deps, resumed))
  }

  /**
   * Resumes a task whose run can move: everything was decided, the task was interrupted, or its run failed. @throws RefusedError
   * `nothing_to_go_on_with`
   */
  async goOn(taskId: string, asker: Requester): Promise<TaskSummary> {
    const { task, row } = await this.#settled(taskId)
    const runId = runOf(task)
    if (runId === null) throw notAnAgent(task)
    const isUnderWay = row?.status === 'running'
    const next = await (isUnderWay ? goOn(this.#deps, runId, asker) : goOnAfterError(this.#deps, { task, row }, asker))
    const isLeft = next?.invocation.n === task.invocation.n && TASK_RESTS[next.status] && isHere(this.#deps, task)
    if (!next || isLeft) throw nothingToGoOn(task)
    return this.#summary(await settleTask(this.#deps, next))
  }

  /** If a run that became ready has a task, wakes it. */
  async wake(runId: string, asker: Requester): Promise<void> {
    await wakeTask(this.#deps, runId, asker)
  }

  async #cancelStarted(task: Task, asker: Requester): Promise<void> {
    const reason = `task ${task.id}, which started it, was cancelled`
    const started = await startedBy(this.#deps, task)
    await Promise.all(started.map(({ id }) => this.cancel(id, { ...asker, reason })))
  }

  /** `null` unless it waits for its turn. */
  async #waiting(taskId: string): Promise<Task | null> {
    const task = await this.#deps.store.tasks.task(givenId('task', taskId))
    return task && isQueued(task.invocation) ? task : null
  }

  async #settled(taskId: string): Promise<TaskWithRun> {
    return settleTask(this.#deps, await this.#task(taskId))
  }

  async #task(id: string): Promise<Task> {
    const task = await this.#deps.tasks.task(givenId('task', id))
    if (task) return task
    throw unknownTask(id)
  }

  #summary(each: TaskWithRun): TaskSummary {
    return taskSummary(this.#deps, each)
  }
}

function nothingToGoOn({ id, status }: Task): RefusedError {
  const waits = status === 'paused'
  const why = waits ? 'is paused, and what it waits for is not decided yet' : `is ${status.replace('_', ' ')} already`
  return new RefusedError('nothing_to_go_on_with', `Task ${id} ${why}, so there is nothing to go on with.`, {
    hint: waits
      ? 'Say what is to become of each call that waits, or answer it; its details list them.'
      : 'A text gives an agent that is done more to do.',
  })
}

/** Longer than a process takes to end that has let go of its run. */
const PATIENCE_MS = 5000

/** Resumes the task of a run that became ready. If its process is just about to rest, this waits for that first. */
async function wakeTask(deps: AgentTasksDeps, runId: string, asker: Requester): Promise<void> {
  const { clock } = deps
  const deadline = clock.steady() + PATIENCE_MS
  const [task] = await deps.store.tasks.tasks({ subject: runId, limit: 1 })
  // Another host watches its own tasks.
  if (task && !isHere(deps, task)) return void (await goOn(deps, runId, asker))
  for await (const _ of eachChange({ clock, watches: watchesOf(deps), deadline })) {
    if (!(await isComingToRest(deps, runId))) break
  }
  await goOn(deps, runId, asker)
}

/** The process of the task has finished its work on the run, or has not begun it. */
async function isComingToRest({ tasks, store }: AgentTasksDeps, runId: string): Promise<boolean> {
  const [task] = await tasks.tasks({ subject: runId, limit: 1 })
  if (task === undefined || TASK_RESTS[task.status]) return false
  const row = await store.run(runId)
  return row?.status === 'running' && row.lease === null
}

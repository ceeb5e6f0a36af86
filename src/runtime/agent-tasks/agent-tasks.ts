/**
 * Supervises commands and agents as tasks. An agent's task is a process that goes on with a run. Its result is read
 * from that run, never from its output, so any process may advance the run.
 */
import { RefusedError } from '../../core/errors.ts'
import { checkValue, TEXTS } from '../../core/given-fields.ts'
import { waitsForTurn as isQueued } from '../../core/task/start-queue.ts'
import { type Invocation, TASK_RESTS, type Task } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import { unknownInvocation, unknownTask } from '../../core/task/unknown-task.ts'
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
import { type AgentTasksDeps, isHere, runOf, type Standing } from './agent-task.ts'
import { cancelRunOf } from './cancel-run-of.ts'
import { goOn, notAnAgent, resumeTask } from './resume-task.ts'
import { settleTask } from './settle-task.ts'
import { startChild } from './start-child.ts'
import { startCommand } from './start-command.ts'
import { taskDetails, taskSummary } from './task-report.ts'
import { startedBy } from './tasks-under-way.ts'
import { waitForTasks } from './wait-for-tasks.ts'
import { wakeTask } from './wake-task.ts'

const PAGE = 50
const OUTPUT_BYTES = 8192

export class AgentTasks implements Tasks {
  readonly #site: AgentTasksDeps
  /** Names of the tools by which agents use all this. */
  readonly #steering: readonly string[]

  constructor(site: AgentTasksDeps, steering: readonly string[]) {
    this.#site = site
    this.#steering = steering
  }

  /** @throws RefusedError; then nothing was started. */
  async startCommand(request: CommandRequest, starter: Starter): Promise<TaskSummary> {
    return this.#summary({ task: await startCommand(this.#site, request, starter), row: null })
  }

  /** @throws RefusedError; then nothing was started. */
  async startAgent(request: ChildRequest, starter: Starter): Promise<TaskSummary> {
    const task = await startChild(this.#site, request, { starter, steering: this.#steering })
    return this.#summary(await settleTask(this.#site, task))
  }

  /** @throws RefusedError `unknown_task` */
  async details(taskId: string, asker: Requester, outputBytes: number = OUTPUT_BYTES): Promise<TaskDetails> {
    return taskDetails(this.#site, await this.#standing(taskId), { outputBytes, asker })
  }

  /** A piece of what a task printed. @throws RefusedError `unknown_task` */
  async output(taskId: string, request: OutputRequest): Promise<TaskOutput> {
    return this.#site.tasks.output(taskId, request)
  }

  /** As it is now; `null`: the newest. @throws RefusedError `unknown_task`, `unknown_invocation` */
  async invocation(taskId: string, n: number | null): Promise<Invocation> {
    const all = await this.#site.tasks.invocations(taskId)
    const found = n === null ? all.at(-1) : all.find(each => each.n === n)
    if (found) return found
    await this.#task(taskId)
    throw unknownInvocation(taskId, all.length, n)
  }

  /** Newest first. */
  async list(query: TaskQuery = {}): Promise<TaskPage> {
    const { limit = PAGE } = taskQuery(query)
    const found = await this.#site.tasks.tasks({ ...query, limit })
    const settled = await Promise.all(found.map(async task => this.#summary(await settleTask(this.#site, task))))
    // Tasks that ended elsewhere no longer match.
    const tasks = settled.filter(({ status }) => !TASK_RESTS[status] || status === (query.status ?? status))
    return { tasks, next: found.length < limit ? null : (found.at(-1)?.id ?? null) }
  }

  /**
   * Waits until one of the tasks, or each, is over or needs a person. If its time is over or its signal aborted, the
   * result is `timed_out`. A task whose holds were decided elsewhere goes on first. @throws RefusedError `unknown_task`
   */
  async wait(tasks: string | readonly string[], request: TaskWaitRequest): Promise<TasksWaited> {
    const { onProgress } = request
    const taskIds = checkValue('tasks.wait', typeof tasks === 'string' ? [tasks] : tasks, TEXTS)
    for (const id of taskIds) await this.#task(id)
    const load = () => this.#site.tasks.tasks({ ids: taskIds })
    const { standings, timed_out } = await waitForTasks(this.#site, load, {
      ...request,
      onProgress: seen => onProgress?.(seen.map(standing => this.#summary(standing))),
    })
    const inOrder = standings.toSorted((one, other) => taskIds.indexOf(one.task.id) - taskIds.indexOf(other.task.id))
    return { timed_out, tasks: inOrder.map(standing => this.#summary(standing)) }
  }

  /**
   * Stops what runs and ends its run, for good, and what its agent started with it. One that is over stays as it is.
   * @throws RefusedError `unknown_task`
   */
  async cancel(taskId: string, asker: Requester & { readonly reason?: string | null }): Promise<TaskSummary> {
    const { by, surface, reason = null } = asker
    const waiting = await this.#waiting(taskId)
    // A look would start one whose turn has come, and so would the end of its run.
    const task = waiting ?? (await this.#standing(taskId)).task
    if (!waiting) await cancelRunOf(this.#site, task, { by, reason })
    const cancelled = await this.#site.tasks.cancel(taskId, { by, surface })
    // Its process may have been the one that was to end it.
    if (cancelled.status === 'cancelled') await cancelRunOf(this.#site, task, { by, reason })
    // By now it starts no more of them.
    if (cancelled.status === 'cancelled') await this.#cancelStarted(task, { by, surface })
    return this.#summary(await settleTask(this.#site, cancelled))
  }

  /** Says what a paused agent waits for, or what one that is done is to do next, and goes on with it. @throws RefusedError; then the task is as it was. */
  async resume(taskId: string, resumption: TaskResumption): Promise<TaskSummary> {
    const { task } = await this.#standing(taskId)
    const resumed = await resumeTask(this.#site, { task, ...resumption })
    return this.#summary(await settleTask(this.#site, resumed))
  }

  /** Goes on with a task whose run could move: everything was decided, or it was interrupted. @throws RefusedError `nothing_to_go_on_with` */
  async goOn(taskId: string, asker: Requester): Promise<TaskSummary> {
    const { task, row } = await this.#standing(taskId)
    const runId = runOf(task)
    if (runId === null) throw notAnAgent(task)
    const next = row?.status === 'running' ? await goOn(this.#site, runId, asker) : null
    const isLeft = next?.invocation.n === task.invocation.n && TASK_RESTS[next.status] && isHere(this.#site, task)
    if (!next || isLeft) throw nothingToGoOn(task)
    return this.#summary(await settleTask(this.#site, next))
  }

  /** If a run that became ready has a task, wakes it. */
  async wake(runId: string, asker: Requester): Promise<void> {
    await wakeTask(this.#site, runId, asker)
  }

  async #cancelStarted(task: Task, asker: Requester): Promise<void> {
    const reason = `task ${task.id}, which started it, was cancelled`
    const started = await startedBy(this.#site, task)
    await Promise.all(started.map(({ id }) => this.cancel(id, { ...asker, reason })))
  }

  /** `null` unless it waits for its turn. */
  async #waiting(taskId: string): Promise<Task | null> {
    const task = await this.#site.store.tasks.task(givenId('task', taskId))
    return task && isQueued(task.invocation) ? task : null
  }

  async #standing(taskId: string): Promise<Standing> {
    return settleTask(this.#site, await this.#task(taskId))
  }

  async #task(id: string): Promise<Task> {
    const task = await this.#site.tasks.task(givenId('task', id))
    if (task) return task
    throw unknownTask(id)
  }

  #summary(standing: Standing): TaskSummary {
    return taskSummary(this.#site, standing)
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

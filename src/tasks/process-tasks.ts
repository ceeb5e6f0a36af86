/**
 * The task manager: each task is a process under a supervisor of its own, and the registry has all that is known of it.
 * M1  A task is durable before anything of it runs, and this process keeps nothing of it. Any process that opens the
 *     same registry on the same machine manages the same tasks.
 * M2  Every look settles lost tasks first (`SettledTasks`).
 * M3  A change of a task is one compare-and-set on the invocation that was seen. If two callers resume or cancel it,
 *     one succeeds and the other gets a refusal.
 * M4  Queued tasks are started in the order in which they were requested, by the process that frees a place: a
 *     supervisor at its end, a process that settles a lost task, or one that requests a start. If that process is
 *     killed first, the next look at a queued task does it.
 * M5  A process may take a task from the queue and be unable to start it, because the store was away. Its next look
 *     puts the task back.
 */

import { messageOf, type RefusedError } from '../core/errors.ts'
import { addressOf, isOfHost } from '../core/fleet/fleet-host.ts'
import { taskRefusals } from '../core/refusals/task-refusals.ts'
import { waitsForTurn } from '../core/task/start-queue.ts'
import { type Invocation, TASK_MAY_BECOME, TASK_RESTS, type Task, type TaskStatus } from '../core/task/task.ts'
import type { Requester, TaskMove } from '../core/task/task-move.ts'
import { taskMovedOn } from '../core/task/task-moved-on.ts'
import { unknownTask } from '../core/task/unknown-task.ts'
import type { Ids } from '../ports/ids.ts'
import type {
  OutputRequest,
  TaskManager,
  TaskOutput,
  TaskResume,
  TaskSettlement,
  TaskStart,
  TaskWait,
} from '../ports/process/task-manager.ts'
import type { TaskQuery, TaskRegistry } from '../ports/store/fleet/task-registry.ts'
import { cancelTask } from './cancel-task.ts'
import { outputDirectory, sweepOutput } from './output-segments.ts'
import { type QueueOptions, queueVariable } from './queue-options.ts'
import { readOutput } from './read-output.ts'
import { NEVER_STARTED, nameOfThis, SettledTasks, type TaskDeps } from './settled-tasks.ts'
import { startSupervisor } from './start-supervisor.ts'
import { type Environment, supervisorEnvironment } from './task-environment.ts'
import { outputElsewhere } from './task-refusals.ts'
import { RESTING, waitForTasks } from './wait-for-tasks.ts'

export interface ProcessTasksOptions extends TaskDeps {
  readonly ids: Ids
  /** The directory of kept output, absolute. */
  readonly directory: string
  /** The argument vector of a supervisor; the task's id and the number of the invocation are appended. */
  readonly supervisor: readonly string[]
  /** Further variables for supervisors, which their commands do not inherit. */
  readonly supervisorOnly?: Environment
  /** The environment of the processes. */
  readonly environment: Environment
  /** How many run at once; without it each is started at once. */
  readonly queue?: QueueOptions
}

/** Statuses from which there is a next invocation. */
const RESUMABLE: readonly TaskStatus[] = ['paused', 'failed']

export class ProcessTasks implements TaskManager {
  readonly #options: ProcessTasksOptions
  readonly #registry: TaskRegistry
  readonly #settled: SettledTasks

  constructor(options: ProcessTasksOptions) {
    this.#options = options
    this.#registry = options.registry
    this.#settled = new SettledTasks(options, { onFree: () => this.startWaiting(), isTaking: () => underWay > 0 })
  }

  async start({ environment = {}, ...task }: TaskStart): Promise<Task> {
    refuseUnusable(task)
    const { id } = await this.#registry.create({ ...task, id: this.#options.ids.next('task') })
    return task.waits ? this.#started(id) : this.launch(id, environment)
  }

  get isLimited(): boolean {
    return this.#options.queue !== undefined
  }

  async launch(taskId: string, environment: Environment = {}, invocation = 1): Promise<Task> {
    const task = this.isLimited ? await this.#registry.task(taskId) : null
    if (task !== null && waitsForTurn(task.invocation)) return this.#started(taskId)
    return this.#launch({ task_id: taskId, invocation, supervisor: null }, environment)
  }

  async startWaiting(): Promise<void> {
    const { queue, names } = this.#options
    if (queue === undefined) return
    await this.#noteDirectory()
    const by = nameOfThis(names)
    underWay++
    try {
      for (;;) {
        const task = await this.#registry.takeNext({ kind: queue.kind, most: queue.most, by })
        if (task === null) return
        const { n: invocation, supervisor } = task.invocation
        await this.#start({ task_id: task.id, invocation, supervisor }, queue.environmentOf(task))
      }
    } finally {
      underWay--
    }
  }

  task(id: string): Promise<Task | null> {
    return this.#settled.one(id)
  }

  tasks(query: TaskQuery = {}): Promise<readonly Task[]> {
    return this.#settled.all(query)
  }

  async invocations(taskId: string): Promise<readonly Invocation[]> {
    await this.#settled.one(taskId)
    return this.#registry.invocations(taskId)
  }

  async output(taskId: string, { stream, invocation, from, limit }: OutputRequest): Promise<TaskOutput> {
    const task = await this.#known(taskId)
    if (!isOfHost(task, this.#options.hosts.self)) throw await this.#elsewhere(task, invocation)
    const n = invocation ?? task.invocation.n
    const [asked] = (await this.#registry.invocations(taskId)).filter(one => one.n === n)
    if (!asked) throw taskRefusals.unknownInvocation(task.id, task.invocation.n, n)
    const directory = outputDirectory(this.#options.directory, taskId, n)
    const size = stream === 'stdout' ? asked.stdout_bytes : asked.stderr_bytes
    const place = { directory, stream, size, isOver: TASK_RESTS[asked.status] }
    return readOutput(place, { ...(from !== undefined && { from }), ...(limit !== undefined && { limit }) })
  }

  wait(taskIds: readonly string[], { signal, until = 'any' }: TaskWait = {}): Promise<readonly Task[]> {
    return waitForTasks({
      clock: this.#options.clock,
      watch: onChange => this.#registry.watch(onChange),
      look: () => this.#these(taskIds),
      isOver: RESTING[until],
      signal,
    })
  }

  async cancel(taskId: string, asker: Requester): Promise<Task> {
    return cancelTask({ ...this.#options, taskId, look: () => this.#known(taskId) }, asker)
  }

  async resume(taskId: string, { environment = {}, invocation, argv, ...asker }: TaskResume): Promise<Task> {
    refuseUnusable({ argv })
    // Settled first: what was lost is failed, and can be resumed.
    await this.#known(taskId)
    const next = { ...asker, argv }
    const moved = await this.#registry.move({ task_id: taskId, invocation, from: RESUMABLE, to: 'pending', next })
    if (!moved) throw taskMovedOn(await this.#known(taskId), invocation)
    if (asker.waits) return this.#started(taskId)
    return this.#launch({ task_id: taskId, invocation: moved.invocation.n, supervisor: null }, environment)
  }

  async settle(taskId: string, { invocation, to, error }: TaskSettlement): Promise<Task | null> {
    const from = RESUMABLE.filter(status => TASK_MAY_BECOME[status][to])
    return this.#registry.move({ task_id: taskId, invocation, from, to, change: { error } })
  }

  async sweepOutput(): Promise<void> {
    await sweepOutput(this.#registry, this.#options.directory)
  }

  watch(onChange: () => void): Disposable {
    return this.#registry.watch(onChange)
  }

  async #known(id: string): Promise<Task> {
    const task = await this.#settled.one(id)
    if (!task) throw unknownTask(id)
    return task
  }

  async #these(ids: readonly string[]): Promise<readonly Task[]> {
    const found = new Map((await this.#settled.these([...new Set(ids)])).map(task => [task.id, task]))
    return ids.map(id => {
      const task = found.get(id)
      if (!task) throw unknownTask(id)
      return task
    })
  }

  async #elsewhere(task: Task, invocation = task.invocation.n): Promise<RefusedError> {
    const host = (await this.#options.hosts.list()).find(({ id }) => id === task.host)
    const path = host?.output ? outputDirectory(host.output, task.id, invocation) : null
    return outputElsewhere(task, { path, server: addressOf(host) })
  }

  /** The task has its place in the queue. Now each task whose turn has come is started, and it may be this one. */
  async #started(taskId: string): Promise<Task> {
    await this.startWaiting()
    return this.#known(taskId)
  }

  async #launch(launched: Launched, given: Environment): Promise<Task> {
    await this.#noteDirectory()
    return this.#start(launched, given)
  }

  /** Lets other hosts know the directory. A task starts even if this fails: the next task notes it. */
  async #noteDirectory(): Promise<void> {
    const { hosts, directory } = this.#options
    await hosts.keepsOutput(directory).catch(() => {})
  }

  /** From here on its supervisor has a name, so an observer knows whether to wait for it. */
  async #start(launched: Launched, given: Environment): Promise<Task> {
    const { supervisor, supervisorOnly, environment, names, queue } = this.#options
    const place = { ...launched, from: ['pending'] } as const
    const failed = (error: Invocation['error']) => ({ ...place, to: 'failed', change: { error } }) as const
    const argv = [...supervisor, launched.task_id, String(launched.invocation)]
    const all = { ...supervisorEnvironment(environment, given), ...supervisorOnly, ...queueVariable(queue) }
    const name = await startSupervisor(argv, all).then(names.nameOf, asError)
    const move = typeof name === 'string' ? { ...place, change: { supervisor: name } } : failed(name ?? NEVER_STARTED)
    // The supervisor may have been quicker.
    return (await this.#registry.move(move)) ?? this.#known(launched.task_id)
  }
}

/** How often this process is about to start what has a turn, over all of its managers. */
let underWay = 0

type Launched = Required<Pick<TaskMove, 'task_id' | 'invocation' | 'supervisor'>>

function asError(thrown: unknown): Invocation['error'] {
  return { code: 'not_started', message: messageOf(thrown) }
}

/** @throws RefusedError `invalid_command` */
function refuseUnusable({ argv }: Pick<TaskStart, 'argv'>): void {
  const problem = argv[0] ? argv.map(faultOf).find(fault => fault !== null) : 'it names no program'
  if (!problem) return
  throw taskRefusals.invalidCommand(problem)
}

/** Linux starts no program with a longer word. */
const MOST_WORD_BYTES = 128 * 1024 - 1

function faultOf(word: string): string | null {
  if (word.includes('\0')) return 'a word of it holds a NUL'
  const bytes = Buffer.byteLength(word)
  return bytes > MOST_WORD_BYTES ? `a word of it has ${bytes} bytes, and ${MOST_WORD_BYTES} are the most` : null
}

/**
 * Tasks as processes: the manager that starts them, and the process that supervises one. The supervisor's process loads
 * this file without the runtime, because it stays in memory for as long as its command runs.
 */
import { SEAL_VARIABLE } from '../../core/audit/record-seal.ts'
import type { Task } from '../../core/task/task.ts'
import type { Clock } from '../../ports/clock.ts'
import { commandEnvironment, PASS_ALL } from '../../ports/process/command-environment.ts'
import type { ProcessNames } from '../../ports/process/process-names.ts'
import type { TaskManager } from '../../ports/process/task-manager.ts'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import type { ProcessTasksOptions } from '../../tasks/process-tasks.ts'
import type { QueueLimit } from '../../tasks/queue-options.ts'
import type { TaskDeps } from '../../tasks/settled-tasks.ts'
import type { SupervisorNeeds } from '../../tasks/supervisor/supervise.ts'
import { sealKeyIn } from '../listening/seal-key-in.ts'
import { noteCommand } from '../process/lineage/command-notes.ts'
import { ownProgram } from '../process/own-program.ts'
import { processLiveness, thisHost } from '../process/process-liveness.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'
import { keepsOutput, taskDirectory } from '../process/task-directory.ts'

export interface TaskProcessesDeps {
  readonly clock: Clock
  readonly names: ProcessNames
  readonly env: Readonly<Record<string, string | undefined>>
  /** How many background agents run at once; `null`: as many as are started. */
  readonly maxConcurrent: number | null
}

/** Only agents wait for their turn: a command is a part of what an agent does. */
const QUEUED_KIND = 'agent'

export class TaskProcesses {
  readonly #store: Store
  readonly #deps: TaskProcessesDeps
  #manager: Promise<TaskManager> | null = null

  constructor(store: Store, deps: TaskProcessesDeps) {
    this.#store = store
    this.#deps = deps
  }

  /** The manager of this process: it knows since when it has seen a task without a supervisor. */
  manager(): Promise<TaskManager> {
    const made = this.#manager ?? this.#open()
    this.#manager = made
    // A store that cannot be read now may be read at the next look.
    made.catch(() => {
      this.#manager = null
    })
    return made
  }

  async #open(): Promise<TaskManager> {
    const { env, maxConcurrent: most, ...deps } = this.#deps
    const { HOLDPOINT_HOST } = process.env
    // The host is that of this process, even if a program opens Holdpoint with other variables.
    const environment = { ...commandEnvironment(env, PASS_ALL), HOLDPOINT_HOST }
    return processTasks(this.#store, {
      ...deps,
      environment,
      sealVariable: sealVariableIn(env),
      limit: most === null ? null : { kind: QUEUED_KIND, most },
    })
  }

  /** Removes the output of tasks that are in the store no more. */
  async sweepOutput(): Promise<void> {
    if (await keepsOutput(this.#store)) await (await this.manager()).sweepOutput()
  }
}

interface ProcessTasksDeps extends Pick<TaskDeps, 'clock' | 'names'>, Pick<ProcessTasksOptions, 'environment'> {
  readonly limit: QueueLimit | null
  /** The variable with the key for the seals of records, for supervisors and agents. */
  readonly sealVariable: ProcessTasksOptions['environment']
}

async function processTasks(
  store: Store,
  { environment, limit, sealVariable, ...deps }: ProcessTasksDeps,
): Promise<TaskManager> {
  const { handOver, supervisorHandOver } = store.location
  const { ProcessTasks } = await import('../../tasks/process-tasks.ts')
  const directory = await taskDirectory(store)
  const environmentOf = (task: Task) => ({ ...signedByAsker(task), ...handOver.environment })
  return new ProcessTasks({
    ...(await taskDeps(store, deps)),
    ids: systemIds,
    directory,
    supervisor: [process.execPath, ...SUPERVISOR_FLAGS, ownProgram('supervise'), ...supervisorHandOver.argv],
    supervisorOnly: { ...supervisorHandOver.environment, ...sealVariable },
    environment,
    ...(limit !== null && { queue: { ...limit, environmentOf } }),
  })
}

function sealVariableIn(env: ProcessTasksOptions['environment']): ProcessTasksOptions['environment'] {
  return { [SEAL_VARIABLE]: env[SEAL_VARIABLE] }
}

/** People alone start agents that wait for their turn. */
function signedByAsker({ invocation }: Task): Record<string, string | undefined> {
  return { HOLDPOINT_ACTOR: invocation.by, HOLDPOINT_WITHIN: undefined }
}

/** The needs that managers and supervisors of tasks share. */
async function taskDeps({ tasks: registry, hosts }: Store, deps: Pick<TaskDeps, 'clock' | 'names'>): Promise<TaskDeps> {
  const { processFamilies: families } = await import('../../tools/run-command/process-family.ts')
  return { registry, hosts, families, ...deps }
}

/** A supervisor lives as long as its command, so its heap stays small. */
const SUPERVISOR_FLAGS: readonly string[] = ['--max-semi-space-size=1', '--max-old-space-size=64']

export interface SuperviseOptions extends Pick<SupervisorNeeds, 'onWake' | 'onTimeout'> {
  readonly store: string
  readonly taskId: string
  readonly invocation: number
}

/** Supervises one invocation of a task until it has ended. */
export async function superviseTask({ store: url, taskId, invocation, ...hooks }: SuperviseOptions): Promise<void> {
  await using store = await openStore(url, {
    ...{ clock: systemClock, directory: '/', host: thisHost },
    sealKey: sealKeyIn(process.env),
  })
  const { supervise } = await import('../../tasks/supervisor/supervise.ts')
  const deps = await taskDeps(store, { clock: systemClock, names: processLiveness() })
  const directory = await taskDirectory(store)
  await supervise({ ...deps, ...hooks, directory, environment: process.env, noteCommand }, taskId, invocation)
  await startNext(store, { ...deps, taskId })
}

/** The end of this task frees a place. */
async function startNext(store: Store, { taskId, ...deps }: TaskDeps & { readonly taskId: string }): Promise<void> {
  const { queueLimitIn } = await import('../../tasks/queue-options.ts')
  const limit = queueLimitIn(process.env)
  const task = limit && (await store.tasks.task(taskId))
  if (!task) return
  const { commandEnvironment: environmentOf } = await import('../../tasks/task-environment.ts')
  const environment = environmentOf(process.env, task)
  const tasks = await processTasks(store, { ...deps, environment, limit, sealVariable: sealVariableIn(process.env) })
  await tasks.startWaiting()
}

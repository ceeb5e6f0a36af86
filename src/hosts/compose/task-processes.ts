/**
 * Tasks as processes: the manager that starts them, and the process that supervises one. The supervisor's process loads
 * this file without the runtime, because it stays in memory for as long as its command runs.
 */
import type { Clock } from '../../ports/clock.ts'
import type { ProcessNames } from '../../ports/process/process-names.ts'
import type { TaskManager } from '../../ports/process/task-manager.ts'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import type { TaskDeps } from '../../tasks/settled-tasks.ts'
import type { SupervisorNeeds } from '../../tasks/supervisor/supervise.ts'
import { ownProgram } from '../process/own-program.ts'
import { processLiveness } from '../process/process-liveness.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'
import { taskDirectory } from '../process/task-directory.ts'

interface TaskManagerDeps {
  readonly clock: Clock
  readonly names: ProcessNames
  readonly env: Readonly<Record<string, string | undefined>>
}

export async function taskManager(store: Store, { env, ...site }: TaskManagerDeps): Promise<TaskManager> {
  const directory = taskDirectory(store.url)
  const { ProcessTasks } = await import('../../tasks/process-tasks.ts')
  return new ProcessTasks({
    ...(await taskDeps(store, site)),
    ids: systemIds,
    directory,
    supervisor: [process.execPath, ...SUPERVISOR_FLAGS, ownProgram('supervise'), '--store', store.url],
    environment: env,
  })
}

/** The needs that managers and supervisors of tasks share. */
async function taskDeps({ tasks: registry }: Store, site: Pick<TaskDeps, 'clock' | 'names'>): Promise<TaskDeps> {
  const { processFamilies: families } = await import('../../tools/run-command/process-family.ts')
  return { registry, families, ...site }
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
  await using store = await openStore(url, { clock: systemClock, directory: '/' })
  const { supervise } = await import('../../tasks/supervisor/supervise.ts')
  const site = await taskDeps(store, { clock: systemClock, names: processLiveness() })
  const directory = taskDirectory(store.url)
  await supervise({ ...site, ...hooks, directory, environment: process.env }, taskId, invocation)
}

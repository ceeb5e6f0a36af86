import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Task } from '../../../src/core/task/task.ts'
import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import { systemIds } from '../../../src/hosts/process/system-ids.ts'
import type { OutputStream, TaskStart } from '../../../src/ports/process/task-manager.ts'
import type { Store } from '../../../src/ports/store/store.ts'
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { ProcessTasks, type ProcessTasksOptions } from '../../../src/tasks/process-tasks.ts'
import { processFamilies } from '../../../src/tools/run-command/process-family.ts'
import { patienceMs } from '../../patience.ts'

/** As it is built. */
export const SUPERVISOR: string = resolve(import.meta.dirname, '../../../dist/cli/supervise.js')

export const ana = { by: 'ana', surface: 'test' } as const

/** A SQLite file, and a manager of real processes on it. What it started is stopped when it is disposed of. */
export class TaskPlace implements AsyncDisposable {
  readonly directory: string
  readonly store: Store
  readonly tasks: ProcessTasks
  #closed: Promise<void> | null = null

  constructor(directory: string, store: Store) {
    this.directory = directory
    this.store = store
    this.tasks = this.manager()
  }

  manager(changes: Partial<ProcessTasksOptions> = {}): ProcessTasks {
    return new ProcessTasks({
      registry: this.store.tasks,
      hosts: this.store.hosts,
      clock: systemClock,
      ids: systemIds,
      names: processLiveness(),
      families: processFamilies,
      directory: join(this.directory, 'tasks'),
      supervisor: [process.execPath, SUPERVISOR, ...this.store.location.supervisorHandOver.argv],
      environment: process.env,
      ...changes,
    })
  }

  start(argv: readonly string[], more: Partial<TaskStart> = {}): Promise<Task> {
    return this.tasks.start(command(argv, { workdir: this.directory, ...more }))
  }

  /** Starts it and waits until it rests. */
  async run(argv: readonly string[], more: Partial<TaskStart> = {}): Promise<Task> {
    return this.rested(await this.start(argv, more))
  }

  async rested({ id }: Pick<Task, 'id'>): Promise<Task> {
    const [task] = await this.tasks.wait([id], { signal: AbortSignal.timeout(patienceMs()) })
    return task as Task
  }

  /** Resolves once it runs. */
  async running({ id }: Pick<Task, 'id'>): Promise<Task> {
    const begun = Promise.withResolvers<Task>()
    const look = async () => {
      const task = await this.store.tasks.task(id)
      if (task && task.status !== 'pending') begun.resolve(task)
    }
    using _watch = this.store.tasks.watch(() => void look())
    await look()
    return await begun.promise
  }

  async printed({ id }: Pick<Task, 'id'>, stream: OutputStream = 'stdout'): Promise<string> {
    return (await this.tasks.output(id, { stream, limit: 1024 * 1024 })).text
  }

  file(name: string): string {
    return join(this.directory, name)
  }

  has(name: string): boolean {
    return existsSync(this.file(name))
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const left = (await this.store.tasks.tasks({})).map(task => this.tasks.cancel(task.id, ana).catch(() => {}))
    await Promise.all(left)
    await this.store[Symbol.asyncDispose]()
    await rm(this.directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

export async function aTaskPlace(): Promise<TaskPlace> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-tasks-'))
  const place = new TaskPlace(directory, await openSqliteStore(join(directory, 'holdpoint.db'), systemClock))
  // Tasks outlive a test that ran out of time, too.
  onTestFinished(() => place[Symbol.asyncDispose]())
  return place
}

export function command(argv: readonly string[], more: Partial<TaskStart> & Pick<TaskStart, 'workdir'>): TaskStart {
  return { kind: 'command', title: argv.join(' '), subject: null, details: {}, timeout_ms: null, argv, ...ana, ...more }
}

/** Of a name as the registry keeps it. */
export function pidIn(name: string | null): number {
  return Number(name?.split(':')[1])
}

/** All that still runs of tasks, their supervisors aside. */
export function processesOf(...tasks: readonly Pick<Task, 'id'>[]): number[] {
  const marks = tasks.map(({ id }) => `HOLDPOINT_TASK=${id}/`)
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => isMarked(environmentOf(pid), marks))
    .map(Number)
}

function isMarked(environment: string, marks: readonly string[]): boolean {
  return marks.some(mark => environment.includes(mark))
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

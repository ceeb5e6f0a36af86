import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Task } from '../src/core/task/task.ts'
import type { TaskManager } from '../src/ports/process/task-manager.ts'
import { openApp } from './built-app.ts'
import { median, percentile, type Row } from './table.ts'

const ROUNDS = 25

/** From a start to `completed`, beside spawning the same command and waiting for its end. */
export async function measureTasks(directory: string): Promise<Row[]> {
  const place = join(directory, 'tasks-trivial')
  await using house = await openApp({ store: `sqlite:${storeIn(place)}`, directory: place })
  const tasks = await house.taskProcesses.manager()
  const commands: [name: string, argv: readonly string[]][] = [
    ['node -e 0', [process.execPath, '-e', '0']],
    ['true', ['true']],
  ]
  const rows: Row[] = []
  for (const [command, argv] of commands) {
    const times = await timesOf(ROUNDS, {
      direct: () => direct(argv, place),
      task: async () => rested(tasks, await startIn(tasks, place, argv)),
    })
    rows.push({
      command,
      'direct ms': median(times.direct),
      'as a task ms': median(times.task),
      'task / direct': median(times.task) / median(times.direct),
      'p90 / p90': percentile(times.task, 0.9) / percentile(times.direct, 0.9),
    })
  }
  return rows
}

/** In turns, so that a busy machine slows both. */
async function timesOf<Name extends string>(
  rounds: number,
  ways: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(ways) as Name[]
  const times = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<Name, number[]>
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const start = performance.now()
      await ways[name]()
      times[name].push(performance.now() - start)
    }
  }
  return times
}

async function direct([program = '', ...args]: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [exit] = await once(child, 'close')
  if (exit !== 0) throw new Error(`${program} ended with ${exit}`)
}

function startIn(tasks: TaskManager, workdir: string, argv: readonly string[]): Promise<Task> {
  const about = { kind: 'command', title: argv.join(' '), subject: null, details: {}, timeout_ms: null }
  return tasks.start({ ...about, workdir, argv, by: 'bench', surface: 'code' })
}

async function rested(tasks: TaskManager, { id }: Task): Promise<void> {
  const [task] = await tasks.wait([id])
  if (task?.status !== 'completed') throw new Error(`the task is ${task?.status}`)
}

/** What a running task costs besides its command: the process that watches over it, idle and with 100 MB of output. */
export async function measureSupervisor(directory: string): Promise<Row[]> {
  const place = join(directory, 'tasks-memory')
  await using house = await openApp({ store: `sqlite:${storeIn(place)}`, directory: place })
  const tasks = await house.taskProcesses.manager()
  const bare = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
  const { id } = await startIn(tasks, place, ['sleep', '60'])
  try {
    const supervisor = await supervisorOf(tasks, id)
    await delay(500)
    const [node, idle] = [memoryOf(bare.pid ?? 0), memoryOf(supervisor)]
    const peak = await peakWhile(tasks, await startIn(tasks, place, ['head', '-c', '100000000', '/dev/zero']))
    return [
      { process: 'node that sleeps', MB: node.all, 'of it, its own': node.own, 'peak at 100 MB': '' },
      { process: 'supervisor', MB: idle.all, 'of it, its own': idle.own, 'peak at 100 MB': peak },
      { process: 'x node', MB: idle.all / node.all, 'of it, its own': idle.own / node.own, 'peak at 100 MB': '' },
    ]
  } finally {
    await tasks.cancel(id, { by: 'bench', surface: 'code' })
    await stopped(bare)
  }
}

/** Its process id, once it watches over a command that runs. */
async function supervisorOf(tasks: TaskManager, id: string): Promise<number> {
  for (;;) {
    const task = await tasks.task(id)
    if (task?.status === 'running') return pidIn(task)
    await delay(20)
  }
}

function pidIn({ invocation }: Task): number {
  return Number(invocation.supervisor?.split(':')[1])
}

async function peakWhile(tasks: TaskManager, { id }: Task): Promise<number> {
  let peak = 0
  for (;;) {
    const task = await tasks.task(id)
    if (task?.status === 'completed') return peak
    if (task?.status === 'running') peak = Math.max(peak, memoryOf(pidIn(task)).peak)
    await delay(5)
  }
}

/** In MB; 0 where it is gone. */
function memoryOf(pid: number): { readonly all: number; readonly own: number; readonly peak: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const of = (name: string) => Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]) / 1024
    return { all: of('VmRSS'), own: of('RssAnon'), peak: of('VmHWM') }
  } catch {
    return { all: 0, own: 0, peak: 0 }
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill()
  await closed
}

function storeIn(place: string): string {
  mkdirSync(place, { recursive: true })
  return join(place, 'holdpoint.db')
}

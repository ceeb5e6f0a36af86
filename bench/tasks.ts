import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Profile } from 'holdpoint'
import type { Task } from '../src/core/task.ts'
import type { TaskManager } from '../src/ports/task-manager.ts'
import type { AgentTasks } from '../src/runtime/agent-tasks/agent-tasks.ts'
import { median, percentile, type Row } from './table.ts'

const DIST = resolve(import.meta.dirname, '../dist')
const CLI = join(DIST, 'cli/bin.js')
/** As it is built: what it starts is then the supervisor that is shipped. */
const { openHouse }: typeof import('../src/hosts/compose.ts') = await import(join(DIST, 'hosts/compose.js'))

const ROUNDS = 25
const PAUSED = 200
const AT_ONCE = 4

/** From a start to `completed`, beside spawning the same command and waiting for its end. */
export async function measureTasks(directory: string): Promise<Row[]> {
  const place = join(directory, 'tasks-trivial')
  await using house = await openHouse({ store: `sqlite:${storeIn(place)}`, directory: place })
  const { tasks } = (await house.supervision.controlSite()).site
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

/** What a running task costs besides its command: the process that watches over it. Pages shared with others count in part. */
export async function measureSupervisor(directory: string): Promise<Row[]> {
  const place = join(directory, 'tasks-memory')
  await using house = await openHouse({ store: `sqlite:${storeIn(place)}`, directory: place })
  const { tasks } = (await house.supervision.controlSite()).site
  const idle = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
  const { id } = await startIn(tasks, place, ['sleep', '60'])
  try {
    const supervisor = await supervisorOf(tasks, id)
    await delay(500)
    const [bare, watching] = [memoryOf(idle.pid ?? 0), memoryOf(supervisor)]
    return [
      { process: 'node that sleeps', 'resident MB': bare.rss, 'own share MB': bare.pss },
      { process: 'supervisor', 'resident MB': watching.rss, 'own share MB': watching.pss },
      { process: 'x node', 'resident MB': watching.rss / bare.rss, 'own share MB': watching.pss / bare.pss },
    ]
  } finally {
    await tasks.cancel(id, { by: 'bench', surface: 'code' })
    await stopped(idle)
  }
}

/** Its process id, once it watches over a command that runs. */
async function supervisorOf(tasks: TaskManager, id: string): Promise<number> {
  for (;;) {
    const task = await tasks.task(id)
    if (task?.status === 'running') return Number(task.invocation.supervisor?.split(':').at(1))
    await delay(20)
  }
}

function memoryOf(pid: number): { readonly rss: number; readonly pss: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1]) / 1024
  return { rss: of('Rss'), pss: of('Pss') }
}

async function stopped(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill()
  await closed
}

/** P6: agents that wait for somebody are rows, and what they printed; no process stays. */
export async function measurePausedTasks(directory: string): Promise<Row[]> {
  const place = join(directory, 'tasks-paused')
  const store = `sqlite:${storeIn(place)}`
  writeFileSync(join(place, 'asks.json'), JSON.stringify(ASKS))
  const bounds = await profileOfRun(place, store)
  const before = statSync(storeIn(place)).size
  const begun = performance.now()
  const paused = await pauseAll({ store, directory: place, bounds: async () => bounds })
  const ms = performance.now() - begun
  // The last ones are about to end when they are seen to be paused; then the file is whole.
  await delay(1_000)
  return [
    {
      'paused agents': paused,
      'processes left': processesOf(place),
      'KB of rows each': (statSync(storeIn(place)).size - before) / PAUSED / 1024,
      'KB printed each': printedBytes(place) / PAUSED / 1024,
      'ms each, start to pause': ms / PAUSED,
    },
  ]
}

async function pauseAll(options: Parameters<typeof openHouse>[0]): Promise<number> {
  await using house = await openHouse(options)
  const tasks = await house.supervision.tasks()
  for (let count = 0; count < PAUSED; count += AT_ONCE) await pauseSome(tasks)
  return (await tasks.list({ status: 'paused', limit: PAUSED + 1 })).tasks.length
}

const ASKS = [{ calls: [{ id: 'c1', name: 'run_command', args: { command: 'echo applied' } }] }, { text: 'done' }]

async function profileOfRun(place: string, store: string): Promise<Profile> {
  const args = [CLI, '--model', 'script:asks.json', '-t', 'run_command', '--store', store, '-o', 'json', 'go']
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: place, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the first run ended with ${status}: ${stdout}${stderr}`)
  await using house = await openHouse({ store, directory: place })
  return (await house.holdpoint.run(JSON.parse(stdout).run_id)).profile
}

async function pauseSome(tasks: AgentTasks): Promise<void> {
  const nothing = { title: null, instructions: null, tools: null, model: null, max_steps: null }
  const request = { ...nothing, prompt: 'go', timeout_seconds: null, workdir: null, pause_on: ['approval'] as const }
  const starter = { by: 'bench', surface: 'code', runId: null }
  const started = await Promise.all(Array.from({ length: AT_ONCE }, () => tasks.startAgent(request, starter)))
  await tasks.wait(
    started.map(({ task_id }) => task_id),
    { until: 'all', seconds: 60, signal: new AbortController().signal, asker: starter },
  )
}

/** Processes of this machine, besides this one, that name the store. */
function processesOf(place: string): number {
  const lines = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(commandLine)
  return lines.filter(line => line.includes(place)).length
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function storeIn(place: string): string {
  mkdirSync(place, { recursive: true })
  return join(place, 'holdpoint.db')
}

function printedBytes(place: string): number {
  const files = readdirSync(join(place, 'tasks'), { recursive: true, withFileTypes: true })
  return files
    .filter(file => file.isFile())
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
}

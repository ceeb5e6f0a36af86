import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { processLiveness } from '../src/hosts/process-liveness.ts'
import { systemClock } from '../src/hosts/system-clock.ts'
import { systemIds } from '../src/hosts/system-ids.ts'
import type { Store } from '../src/ports/store.ts'
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts'
import { ProcessTasks } from '../src/tasks/process-tasks.ts'
import { processFamilies } from '../src/tools/run-command/process-family.ts'
import { median, type Row } from './table.ts'

const SUPERVISOR = resolve(import.meta.dirname, '../dist/cli/supervise.js')
const FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64']
const ROUNDS = 25
const TRIVIAL = [process.execPath, '-e', '0']
const BENCH = { by: 'bench', surface: 'bench' } as const

/** A trivial command as a task, in turns with the same command started directly; and what a supervisor takes. */
export async function measureTasks(directory: string): Promise<Row[]> {
  await using store = await openSqliteStore(join(directory, 'tasks.db'), systemClock)
  const tasks = managerOn(store, directory)
  const start = (argv: readonly string[]) => tasks.start({ ...COMMAND, workdir: directory, argv, ...BENCH })
  const [direct, started, completed] = [[], [], []] as number[][]
  for (let round = 0; round < ROUNDS; round += 1) {
    direct?.push(await timeOf(() => once(spawn(TRIVIAL[0] ?? '', TRIVIAL.slice(1)), 'close')))
    const begun = performance.now()
    const { id } = await start(TRIVIAL)
    started?.push(performance.now() - begun)
    await tasks.wait([id])
    completed?.push(performance.now() - begun)
  }
  const idle = await start(['sleep', '60'])
  const peak = await peakWhile(tasks, (await start(['head', '-c', '100000000', '/dev/zero'])).id)
  const row = {
    'directly: ms': median(direct ?? []),
    'start: ms': median(started ?? []),
    'start to completed: ms': median(completed ?? []),
    'x directly': median(completed ?? []) / median(direct ?? []),
    'supervisor: MB': memoryOf(idle.invocation.supervisor, 'VmRSS'),
    'of it, its own': memoryOf(idle.invocation.supervisor, 'RssAnon'),
    'its peak at 100 MB': peak,
  }
  await tasks.cancel(idle.id, BENCH)
  return [row]
}

const COMMAND = { kind: 'command', title: 'bench', subject: null, details: {}, timeout_ms: null } as const

function managerOn(store: Store, directory: string): ProcessTasks {
  return new ProcessTasks({
    ...{ registry: store.tasks, clock: systemClock, ids: systemIds, names: processLiveness() },
    ...{ families: processFamilies, directory: join(directory, 'tasks'), environment: process.env },
    supervisor: [process.execPath, ...FLAGS, SUPERVISOR, '--store', store.url],
  })
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

async function peakWhile(tasks: ProcessTasks, id: string): Promise<number> {
  let peak = 0
  for (;;) {
    const task = await tasks.task(id)
    if (task?.status === 'completed') return peak
    peak = Math.max(peak, memoryOf(task?.invocation.supervisor ?? null, 'VmHWM'))
    await delay(5)
  }
}

/** In MB; 0 where it is gone. */
function memoryOf(name: string | null, what: string): number {
  try {
    const status = readFileSync(`/proc/${name?.split(':')[1]}/status`, 'utf8')
    return Number(new RegExp(`${what}:\\s*(\\d+)`).exec(status)?.[1]) / 1024
  } catch {
    return 0
  }
}

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Profile } from 'holdpoint'
import type { Tasks } from '../src/runtime/face/tasks.ts'
import { openApp } from './built-app.ts'
import type { Row } from './table.ts'

const CLI = resolve(import.meta.dirname, '../dist/cli/bin.js')

const PAUSED = 200
const AT_ONCE = 4

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

async function pauseAll(options: Parameters<typeof openApp>[0]): Promise<number> {
  await using house = await openApp(options)
  const tasks = house.holdpoint.tasks
  for (let count = 0; count < PAUSED; count += AT_ONCE) await pauseSome(tasks)
  return (await tasks.list({ status: 'paused', limit: PAUSED + 1 })).tasks.length
}

const ASKS = [{ calls: [{ id: 'c1', name: 'run_command', args: { command: 'echo applied' } }] }, { text: 'done' }]

async function profileOfRun(place: string, store: string): Promise<Profile> {
  const args = [CLI, '--model', 'script:asks.json', '-t', 'run_command', '--store', store, '-o', 'json', 'go']
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: place, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the first run ended with ${status}: ${stdout}${stderr}`)
  await using house = await openApp({ store, directory: place })
  return (await house.holdpoint.run(JSON.parse(stdout).run_id)).profile
}

async function pauseSome(tasks: Tasks): Promise<void> {
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

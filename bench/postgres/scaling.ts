import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Holdpoint, openHoldpoint } from 'holdpoint'
import { APPROVAL } from '../held-agent.ts'
import { busyShare } from '../machine-load.ts'
import { percentile, type Row } from '../table.ts'
import { agent } from '../worker-agent.ts'
import { Looks } from './bare.ts'

const CLI = resolve(import.meta.dirname, '../../dist/cli/bin.js')
const AGENT_FILE = join(import.meta.dirname, '../worker-agent.ts')
const RUNS = 1_500
/** A worker is quick once V8 has optimized its code. */
const RUNS_BEFORE = 300
const WORKERS = [1, 2, 4] as const

/** Runs that all become ready in one moment, and how far the audit log is behind meanwhile. */
export async function scalingRows(url: string, directory: string): Promise<Row[]> {
  const behind: number[] = []
  const rows: Row[] = []
  for (const engine of ['', 'graphile']) {
    let before = Number.NaN
    for (const count of WORKERS) {
      const site = { url, schema: `bench_${engine || 'scaling'}_${count}`, directory, count, engine }
      const { rate, busy } = await measure(site, behind)
      const figure = `runs/s with ${count} workers${engine && ` and ${engine}`}, the machine ${Math.round(busy * 100)}% busy`
      rows.push({ figure, value: rate, wanted: '' })
      if (count > 1) rows.push({ figure: 'the same, x half as many workers', value: rate / before, wanted: '1.7' })
      before = rate
    }
  }
  return [
    ...rows,
    { figure: 'a record waits for its place, ms at p99', value: percentile(behind, 0.99), wanted: '100' },
  ]
}

interface Site {
  readonly url: string
  readonly schema: string
  readonly directory: string
  readonly count: number
  readonly engine: string
}

async function measure(site: Site, behind: number[]): Promise<{ readonly rate: number; readonly busy: number }> {
  const { url, schema } = site
  const directory = join(site.directory, schema)
  mkdirSync(directory)
  const store = `${url}?schema=${schema}`
  await using holdpoint = await openHoldpoint({ store, agents: [agent], directory })
  const holds = await waitingHolds(holdpoint)
  const workers = await Promise.all(
    Array.from({ length: site.count }, () => startWorker(directory, store, site.engine)),
  )
  await using looks = await Looks.open(url)
  const untilDone = async (count: number) => {
    // One was cancelled.
    while ((await looks.value(DONE.replace('@', schema))) < count + 1) {
      behind.push(await looks.value(BEHIND.replace('@', schema)))
      await delay(25)
    }
  }
  const approve = (ids: readonly string[]) => holdpoint.decideMany(ids.map(hold_id => ({ hold_id, ...APPROVAL })))
  await approve(holds.slice(0, RUNS_BEFORE))
  await untilDone(RUNS_BEFORE)
  await approve(holds.slice(RUNS_BEFORE))
  const busy = busyShare()
  const start = performance.now()
  await untilDone(holds.length)
  const seconds = (performance.now() - start) / 1_000
  const share = busy()
  await Promise.all(workers.map(stopWorker))
  return { rate: RUNS / seconds, busy: share }
}

const DONE = `SELECT count(*) FROM @.runs WHERE status = 'done'`
const BEHIND = `SELECT coalesce(extract(epoch FROM clock_timestamp()) * 1000 - min(at), 0) FROM @.audit_pending`

/** With the file of the agent in their profile, so that other processes find it. */
async function waitingHolds(holdpoint: Holdpoint): Promise<string[]> {
  const { id } = await holdpoint.start({ agent: agent.name, input: 'go' })
  await holdpoint.cancel(id, { by: 'bench' })
  const profile = { ...(await holdpoint.run(id)).profile, agent_file: AGENT_FILE }
  const holds: string[] = []
  for (let n = 0; n < RUNS_BEFORE + RUNS; n += 1) {
    const run = await holdpoint.start({ profile, input: 'go', author: null })
    const waiting = await holdpoint.advance(run.id)
    if ('holds' in waiting) holds.push(...waiting.holds.map(hold => hold.id))
  }
  return holds
}

async function startWorker(directory: string, store: string, engine: string): Promise<ChildProcess> {
  const flags = engine === '' ? [] : ['--engine', engine]
  const worker = spawn(process.execPath, [CLI, 'work', '--store', store, ...flags], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (worker.stdout) await once(worker.stdout, 'data')
  return worker
}

async function stopWorker(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit')
  worker.kill('SIGTERM')
  await ended
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Holdpoint, openHoldpoint, type Profile } from 'holdpoint'
import { APPROVAL } from './held-agent.ts'
import { percentile, type Row } from './table.ts'
import { COUNTS, waitingStore } from './waiting.ts'
import { agent } from './worker-agent.ts'

const CLI = resolve(import.meta.dirname, '../dist/cli/bin.js')
const AGENT_FILE = join(import.meta.dirname, 'worker-agent.ts')
const ROUNDS = 200
const RESTARTS = 30
const WARM_UP = 10
/** Long enough for a worker to fall asleep. */
const QUIET_MS = 40

/** From an answer that this process records to the first line of the tool in a worker process. */
export async function measureWorker(directory: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of COUNTS) {
    const bench = await Bench.open(join(directory, `worker-${count}`), waitingStore(directory, count))
    await using _ = bench
    const live = (await bench.times(ROUNDS + WARM_UP, () => bench.answer())).slice(WARM_UP)
    const restarted = await bench.times(RESTARTS, () => bench.answerOverRestart())
    rows.push({
      'others waiting': count,
      'worker running: p50 ms': percentile(live, 0.5),
      'p99 ms': percentile(live, 0.99),
      'over its restart: p50 ms': percentile(restarted, 0.5),
      'its p99 ms': percentile(restarted, 0.99),
    })
  }
  return rows
}

class Bench implements AsyncDisposable {
  readonly #directory: string
  readonly #store: string
  readonly #holdpoint: Holdpoint
  readonly #profile: Profile
  #worker: ChildProcess | null = null

  private constructor(directory: string, store: string, holdpoint: Holdpoint, profile: Profile) {
    this.#directory = directory
    this.#store = store
    this.#holdpoint = holdpoint
    this.#profile = profile
  }

  static async open(directory: string, path: string): Promise<Bench> {
    mkdirSync(directory)
    const store = `sqlite:${path}`
    const holdpoint = await openHoldpoint({ store, agents: [agent], directory })
    const { id } = await holdpoint.start({ agent: 'timed', input: 'go' })
    await holdpoint.cancel(id, { by: 'bench' })
    const { profile } = await holdpoint.run(id)
    const bench = new Bench(directory, store, holdpoint, { ...profile, agent_file: AGENT_FILE })
    bench.#startWorker()
    return bench
  }

  async times(rounds: number, measure: () => Promise<number>): Promise<number[]> {
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) times.push(await measure())
    return times
  }

  async answer(): Promise<number> {
    const hold = await this.#waitingHold()
    await delay(QUIET_MS)
    return this.#answered(hold)
  }

  /** The worker is told to end, somebody answers, and only when it has ended the next one is started. */
  async answerOverRestart(): Promise<number> {
    const hold = await this.#waitingHold()
    await delay(QUIET_MS)
    const stopped = this.#stopWorker()
    const begun = this.#answered(hold)
    await stopped
    this.#startWorker()
    return begun
  }

  /** The worker itself brings it to its pause. */
  async #waitingHold(): Promise<string> {
    const { id } = await this.#holdpoint.start({ profile: this.#profile, input: 'go', author: null })
    for (;;) {
      const [hold] = await this.#holdpoint.holds({ run_id: id, status: 'open' })
      if (hold) return hold.id
      await delay(5)
    }
  }

  async #answered(hold: string): Promise<number> {
    const log = join(this.#directory, 'begun.log')
    rmSync(log, { force: true })
    const clicked = performance.timeOrigin + performance.now()
    await this.#holdpoint.decide(hold, APPROVAL)
    while (!existsSync(log) || !readFileSync(log, 'utf8').endsWith('\n')) await delay(2)
    return Number(readFileSync(log, 'utf8')) - clicked
  }

  #startWorker(): void {
    this.#worker = spawn(process.execPath, [CLI, 'work', '--store', this.#store], {
      cwd: this.#directory,
      env: { PATH: process.env['PATH'], HOME: this.#directory },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }

  async #stopWorker(): Promise<void> {
    if (!this.#worker) return
    const ended = once(this.#worker, 'exit')
    this.#worker.kill('SIGTERM')
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopWorker()
    await this.#holdpoint[Symbol.asyncDispose]()
  }
}

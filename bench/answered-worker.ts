/** A worker process, and this process, which answers what its runs wait for. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Holdpoint, openHoldpoint, type Profile } from 'holdpoint'
import { APPROVAL } from './held-agent.ts'
import { agent } from './worker-agent.ts'

const CLI = resolve(import.meta.dirname, '../dist/cli/bin.js')
const AGENT_FILE = join(import.meta.dirname, 'worker-agent.ts')
/** Long enough for a worker to fall asleep. */
const QUIET_MS = 40

interface Site {
  /** Made for it. */
  readonly directory: string
  readonly store: string
  /** Of `holdpoint work`. */
  readonly flags?: readonly string[]
}

export class AnsweredWorker implements AsyncDisposable {
  readonly #directory: string
  readonly #store: string
  readonly #holdpoint: Holdpoint
  readonly #profile: Profile
  readonly #flags: readonly string[]
  #worker: ChildProcess | null = null

  private constructor(site: Site, holdpoint: Holdpoint, profile: Profile) {
    this.#directory = site.directory
    this.#store = site.store
    this.#flags = site.flags ?? []
    this.#holdpoint = holdpoint
    this.#profile = profile
  }

  static async open(site: Site): Promise<AnsweredWorker> {
    const { directory, store } = site
    mkdirSync(directory)
    const holdpoint = await openHoldpoint({ store, agents: [agent], directory })
    const { id } = await holdpoint.start({ agent: 'timed', input: 'go' })
    await holdpoint.cancel(id, { by: 'bench' })
    const { profile } = await holdpoint.run(id)
    const worker = new AnsweredWorker(site, holdpoint, { ...profile, agent_file: AGENT_FILE })
    worker.#startWorker()
    return worker
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
    this.#worker = spawn(process.execPath, [CLI, 'work', '--store', this.#store, ...this.#flags], {
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

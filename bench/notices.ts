/** What people and programs are told, and what that costs the runs. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Holdpoint, openHoldpoint } from 'holdpoint'
import { held, startWaiting } from './held-agent.ts'
import { median, percentile, type Row } from './table.ts'

const CLI = resolve(import.meta.dirname, '../dist/cli/bin.js')
const ROUNDS = 200
/** Long enough for the process to fall asleep. */
const QUIET_MS = 40
const BURST = 2_000
/** A young generation of one size: how far V8 lets it grow says how fast notices were sent, not how many there were. */
const SETTLED = '--max-semi-space-size=1'
const RUNS = 60
const REPEATS = 3
const SCRIPT = [{ text: 'now', calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'true' } }] }, 'done']

type Behaviour = 'takes' | 'hangs' | 'is not there'

export async function measureNotices(directory: string): Promise<Row[]> {
  const waits = await fromOpenedToWire(join(directory, 'notice-waits'))
  const burst = await burstOf(join(directory, 'notice-burst'))
  return [
    { figure: 'hold opened to request on the wire, p50 ms', value: percentile(waits, 0.5), wanted: '' },
    { figure: 'the same, p99 ms', value: percentile(waits, 0.99), wanted: '200' },
    { figure: `notices a second to one address, of ${BURST}`, value: burst.perSecond, wanted: '50' },
    { figure: 'memory after all of them, x after half', value: burst.growth, wanted: '1.1' },
    ...(await costOfSinks(join(directory, 'notice-sinks'))),
  ]
}

async function fromOpenedToWire(directory: string): Promise<number[]> {
  await using receiver = await Receiver.open('takes')
  await using site = await Site.open(directory, receiver.url)
  await startWaiting(site.holdpoint, 'held')
  site.work()
  await receiver.heard(1)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await delay(QUIET_MS)
    const { holds } = await startWaiting(site.holdpoint, 'held')
    await receiver.heard(round + 2)
    times.push((receiver.times.at(-1) ?? Number.NaN) - Date.parse(holds[0]?.opened_at ?? ''))
  }
  return times
}

async function burstOf(directory: string): Promise<{ readonly perSecond: number; readonly growth: number }> {
  await using receiver = await Receiver.open('takes')
  await using site = await Site.open(directory, receiver.url)
  for (let n = 0; n < BURST; n += 1) await startWaiting(site.holdpoint, 'held')
  site.work(SETTLED)
  await receiver.heard(BURST / 2)
  const early = site.memory()
  await receiver.heard(BURST)
  const [first = 0, last = 0] = [receiver.times[0], receiver.times.at(-1)]
  return { perSecond: ((BURST - 1) / (last - first)) * 1_000, growth: site.memory() / early }
}

/** A worker brings so many runs to their holds: from the first that opens to the last. */
async function costOfSinks(directory: string): Promise<Row[]> {
  const kinds: readonly (Behaviour | null)[] = [null, 'takes', 'hangs', 'is not there']
  const times = new Map(kinds.map(kind => [kind, [] as number[]]))
  for (let repeat = 0; repeat < REPEATS; repeat += 1)
    for (const kind of kinds) times.get(kind)?.push(await runsBeside(join(directory, `${kind}-${repeat}`), kind))
  const none = median(times.get(null) ?? [])
  return kinds.slice(1).map(kind => ({
    figure: `time of ${RUNS} runs beside a sink that ${kind}, x none`,
    value: median(times.get(kind) ?? []) / none,
    wanted: kind === 'takes' ? '' : '1.1',
  }))
}

async function runsBeside(directory: string, kind: Behaviour | null): Promise<number> {
  await using receiver = kind === null ? null : await Receiver.open(kind)
  await using site = await Site.open(directory, receiver?.url ?? null)
  site.run('--pause-on-approval', '-o', 'json', 'go')
  const [first] = await site.holdpoint.runs({ limit: 1 })
  const { profile } = await site.holdpoint.run(first?.id ?? '')
  for (let n = 0; n < RUNS; n += 1) await site.holdpoint.start({ profile, input: 'go', author: null })
  site.work()
  for (;;) {
    const holds = await site.holdpoint.holds({ status: 'open' })
    if (holds.length === RUNS + 1) {
      // The first of all is that of the command line.
      const [, from = 0, ...more] = holds.map(({ opened_at }) => Date.parse(opened_at)).toSorted((a, b) => a - b)
      return (more.at(-1) ?? 0) - from
    }
    await delay(20)
  }
}

class Receiver implements AsyncDisposable {
  readonly #server: Server
  readonly url: string
  /** When each request came, in milliseconds since 1970. */
  readonly times: number[] = []

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  static async open(behaviour: Behaviour): Promise<Receiver> {
    const server = createServer((request, response) => {
      receiver.times.push(Date.now())
      request.resume()
      if (behaviour === 'takes') response.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const receiver = new Receiver(server, `http://127.0.0.1:${port}/hook`)
    if (behaviour === 'is not there') await receiver[Symbol.asyncDispose]()
    return receiver
  }

  async heard(count: number): Promise<void> {
    while (this.times.length < count) await delay(2)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise(closed => this.#server.close(closed))
  }
}

/** A project that tells one webhook of what opens, and a worker in a process of its own. */
class Site implements AsyncDisposable {
  readonly #directory: string
  readonly holdpoint: Holdpoint
  #worker: ChildProcess | null = null

  private constructor(directory: string, holdpoint: Holdpoint) {
    this.#directory = directory
    this.holdpoint = holdpoint
  }

  static async open(directory: string, url: string | null): Promise<Site> {
    mkdirSync(join(directory, '.holdpoint'), { recursive: true })
    const webhook = { url, allow_private: true, events: ['opened'] }
    const config = url === null ? {} : { notify: { channels: { webhook } } }
    writeFileSync(join(directory, '.holdpoint', 'config.json'), JSON.stringify(config))
    writeFileSync(join(directory, '.holdpoint', 'policy.json'), '{ "default": "prompt" }')
    writeFileSync(join(directory, 'script.json'), JSON.stringify(SCRIPT))
    const store = `sqlite:${join(directory, '.holdpoint', 'holdpoint.db')}`
    const site = new Site(directory, await openHoldpoint({ store, agents: [held], directory }))
    site.run('trust', '--yes')
    return site
  }

  run(...args: string[]): void {
    const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], { ...this.#options, encoding: 'utf8' })
    if (status !== 0 && status !== 10) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  }

  get #options(): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
    const { PATH } = process.env
    return { cwd: this.#directory, env: { PATH, HOME: this.#directory, HOLDPOINT_MODEL: 'script:script.json' } }
  }

  /** `node` are flags of Node itself. */
  work(...node: readonly string[]): void {
    this.#worker = spawn(process.execPath, [...node, CLI, 'work'], { ...this.#options, stdio: 'ignore' })
  }

  /** Of the worker, resident, in KB. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#worker?.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#worker) {
      const ended = once(this.#worker, 'exit')
      this.#worker.kill('SIGKILL')
      await ended
    }
    await this.holdpoint[Symbol.asyncDispose]()
  }
}

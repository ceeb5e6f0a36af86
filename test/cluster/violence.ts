/** What happens to a cluster: processes die or stand still, connections break, a machine is cut off, the database restarts. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../chaos/random.ts'
import type { Machine, Service } from './machines.ts'

/** Longer than the lease of a run. */
const OVER_A_LEASE_MS = 35_000
const PARTED_MS = 60_000
/** In between, a process gets on with its work. */
const SPARED_MS = 8_000

export class Violence {
  readonly counts: Map<string, number> = new Map()
  readonly #services: readonly Service[]
  readonly #machines: readonly Machine[]
  readonly #random: Random
  readonly #restartDatabase: () => Promise<void>
  readonly #spared = new Map<string, number>()
  readonly #pending = new Set<Promise<void>>()
  #restarted = Promise.resolve()

  constructor(
    { services, machines }: { services: readonly Service[]; machines: readonly Machine[] },
    { random, restartDatabase }: { random: Random; restartDatabase: () => Promise<void> },
  ) {
    this.#services = services
    this.#machines = machines
    this.#random = random
    this.#restartDatabase = restartDatabase
  }

  strike(): void {
    const drawn = this.#random.next()
    const service = this.#random.oneOf(this.#services.filter(each => this.#isFair(each)))
    const machine = this.#random.oneOf(this.#machines)
    if (service === undefined || machine === undefined) return
    if (drawn < 0.45) this.#kill(service)
    else if (drawn < 0.7) this.#suspend(service, this.#random.between(200, 6_000))
    else if (drawn < 0.85) this.#cut(machine)
    else this.#delayCommits(machine)
  }

  #isFair({ pid, name }: Service): boolean {
    return pid !== null && (this.#spared.get(name) ?? 0) < Date.now()
  }

  /** A pause after which its owner comes back to runs that others advance. */
  suspendLong(): void {
    const worker = this.#services.find(({ name }) => name.startsWith('worker'))
    if (worker) this.#suspend(worker, OVER_A_LEASE_MS)
  }

  /** One machine has no network for a minute: no connection ends, and nothing passes. */
  part(): void {
    const [machine] = this.#machines
    if (machine === undefined) return
    this.#count(`partitions of a machine for ${PARTED_MS / 1000} s`)
    machine.network.part(true)
    this.#later(PARTED_MS, () => machine.network.part(false))
  }

  restartDatabase(): void {
    this.#count('restarts of the database')
    this.#restarted = this.#restarted.then(this.#restartDatabase)
  }

  /** What was begun comes to its end. */
  async settle(): Promise<void> {
    await Promise.all([...this.#pending, this.#restarted])
  }

  #kill({ pid, name }: Service): void {
    if (pid === null || !signal(pid, 'SIGKILL')) return
    this.#spared.set(name, Date.now() + SPARED_MS)
    this.#count(`kills of ${name.replace(/-\d+$/, '')}s`)
  }

  #suspend({ pid, name }: Service, ms: number): void {
    if (pid === null || !signal(pid, 'SIGSTOP')) return
    this.#spared.set(name, Date.now() + ms + SPARED_MS)
    this.#count(`pauses of ${name.replace(/-\d+$/, '')}s`)
    this.#later(ms, () => signal(pid, 'SIGCONT'))
  }

  #cut({ network }: Machine): void {
    this.#count('cuts of all connections of a machine')
    network.cutAll()
  }

  #delayCommits({ network }: Machine): void {
    this.#count('times that commits of a machine came late')
    network.delayCommits(this.#random.between(20, 400))
    this.#later(3_000, () => network.delayCommits(0))
  }

  #later(ms: number, act: () => unknown): void {
    const done = delay(ms)
      .then(act)
      .then(() => void this.#pending.delete(done))
    this.#pending.add(done)
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
    return false
  }
}

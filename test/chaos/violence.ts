/** Kills and suspends the processes of one campaign, and no other ones: each of them has its directory in its arguments. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive } from '../scenarios/processes.ts'
import type { Ledger } from './ledger.ts'
import type { Random } from './random.ts'

/** Longer than the lease of a run: its owner comes back to a run that another one advances. */
const OVER_A_LEASE_MS = 33_000

export interface Victim {
  readonly pid: number
  readonly role: string
}

export class Violence {
  readonly #directory: string
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #suspended = new Set<number>()

  constructor(directory: string, ledger: Ledger, random: Random) {
    this.#directory = directory
    this.#ledger = ledger
    this.#random = random
  }

  /** Processes of the command line and supervisors that work on the store. */
  victims(): Victim[] {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid && isAlive(Number(name)))
      .map(name => ({ pid: Number(name), words: argumentsOf(name) }))
      .filter(
        ({ words }) =>
          words.some(word => word.includes(this.#directory)) && words.some(word => /\/(bin|supervise)\.js$/.test(word)),
      )
      .map(({ pid, words }) => ({ pid, role: roleOf(words) }))
  }

  /** `long` allows a pause that outlasts a lease. */
  strike({ long }: { readonly long: boolean }): void {
    const victims = this.victims()
    // By role first: a sub-agent lives for a moment only, and a worker for long.
    const role = this.#random.oneOf([...new Set(victims.map(each => each.role))])
    const victim = this.#random.oneOf(victims.filter(each => each.role === role))
    if (victim === undefined) return
    if (this.#random.chance(0.55)) this.#signal(victim, 'SIGKILL')
    else this.#suspend(victim, long && this.#random.chance(0.05) ? OVER_A_LEASE_MS : this.#random.between(50, 4_000))
  }

  #suspend(victim: Victim, ms: number): void {
    this.#signal(victim, 'SIGSTOP')
    this.#suspended.add(victim.pid)
    void delay(ms).then(() => this.#wake(victim.pid))
  }

  wakeAll(): void {
    for (const pid of [...this.#suspended]) this.#wake(pid)
  }

  #wake(pid: number): void {
    if (this.#suspended.delete(pid)) send(pid, 'SIGCONT')
  }

  #signal({ pid, role }: Victim, signal: 'SIGKILL' | 'SIGSTOP'): void {
    if (!send(pid, signal)) return
    this.#ledger.count(`${signal === 'SIGKILL' ? 'kills' : 'pauses'} of ${role}`)
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
    return false
  }
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

function roleOf(words: readonly string[]): string {
  if (words.some(word => word.endsWith('supervise.js'))) return 'supervisors'
  if (words.includes('--attend')) return 'sub-agents'
  const at = words.findIndex(word => word.endsWith('bin.js'))
  const verb = words[at + 1] ?? ''
  if (verb === '-a') return 'starters'
  return verb === 'work' ? 'workers' : `deciders (${verb})`
}

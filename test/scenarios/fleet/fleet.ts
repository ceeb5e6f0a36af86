/** Two servers and a worker on one store. Each is killed at random, and another one takes its place at once. */
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../chaos/random.ts'
import type { Project } from '../project.ts'

type Role = 'first server' | 'second server' | 'worker'
const ROLES: readonly Role[] = ['first server', 'second server', 'worker']

export class Fleet implements AsyncDisposable {
  readonly #project: Project
  readonly #random: Random
  readonly #children = new Map<Role, ChildProcess>()
  readonly #urls = new Map<Role, string>()
  readonly #keepers: Promise<void>[]
  #ends = false
  kills = 0
  /** Lines that no process should write. */
  readonly oddities: string[] = []

  constructor(project: Project, random: Random) {
    this.#project = project
    this.#random = random
    this.#keepers = ROLES.map(role => this.#keep(role))
  }

  /** A server that listens, or listened a moment ago. */
  async url(): Promise<string> {
    for (;;) {
      const url = this.#random.oneOf([...this.#urls.values()])
      if (url !== undefined) return url
      await delay(20)
    }
  }

  /** `kill -9` of one of them, in whatever it does. */
  strike(): void {
    const [role, child] = this.#random.oneOf([...this.#children]) ?? []
    if (role === undefined || !child?.kill('SIGKILL')) return
    this.kills += 1
    this.#urls.delete(role)
  }

  async #keep(role: Role): Promise<void> {
    while (!this.#ends) {
      const words = role === 'worker' ? ['work'] : ['serve', '--port', '0', '--verbose']
      const child = this.#project.start(words, { env: { HOLDPOINT_SERVER_TOKEN: 'the-token-of-the-owner' } })
      this.#children.set(role, child)
      if (child.stderr) createInterface(child.stderr).on('line', line => this.#hear(role, line))
      child.stdout?.resume()
      await new Promise(resolve => child.once('close', resolve))
      this.#urls.delete(role)
    }
  }

  #hear(role: Role, line: string): void {
    const url = /listening on (http:\/\/\S+)/.exec(line)?.[1]
    if (url) this.#urls.set(role, url)
    if (/internal|TypeError|\n\s+at /.test(line)) this.oddities.push(`${role}: ${line}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ends = true
    for (const child of this.#children.values()) child.kill('SIGKILL')
    await Promise.all(this.#keepers)
  }
}

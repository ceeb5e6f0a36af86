/** Those who start runs and decide: pages over the servers, which follow all that happens, and people at shells. */
import { setTimeout as delay } from 'node:timers/promises'
import { connectHoldpoint, RefusedError, type RemoteChange, type RemoteHoldpoint } from '../../src/client/index.ts'
import type { Random } from '../chaos/random.ts'
import type { Told } from './checker.ts'
import { AGENT_NAMES, type Machine, type Site } from './machines.ts'

/** Where a server is, and the token of a page there. */
export interface Door {
  readonly url: string
  readonly token: string
}

type Decision = { readonly verdict: 'approve' | 'reject' | 'respond'; readonly value?: string | { exit_code: number } }

const RETRY_MS = 250

/** A page: it starts runs, decides some of what it sees, and knows at the end how all of it stands. */
export class Page {
  readonly name: string
  readonly told: Told[] = []
  /** What servers answered to requests that were not carried out, by code. */
  readonly setbacks: Map<string, number> = new Map()
  readonly open: Set<string> = new Set()
  readonly begun: Set<string> = new Set()
  readonly finished: Set<string> = new Set()
  /** Records that came out of their order, or again. */
  readonly oddities: string[] = []
  readonly #doors: readonly RemoteHoldpoint[]
  readonly #site: Site
  readonly #random: Random
  readonly #end = new AbortController()
  readonly #busy = new Set<Promise<void>>()
  #newest = 0

  constructor(name: string, doors: readonly Door[], { site, random }: { site: Site; random: Random }) {
    this.name = name
    this.#doors = doors.map(({ url, token }) => connectHoldpoint({ url, token, retries: 0 }))
    this.#site = site
    this.#random = random
  }

  /** One run; once it is acknowledged, it is promised. */
  async start(): Promise<void> {
    const agent = this.#random.oneOf(AGENT_NAMES) ?? 'gated'
    const { id } = await this.#insist(door => door.start({ agent, input: 'go' }))
    this.told.push({ kind: 'started', run: id })
  }

  /** Until it is closed, over each break, at one server or the other. */
  async follow(mayDecide: (hold: string) => boolean): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        for await (const change of this.#door().changes({ since: this.#newest, signal: this.#end.signal }))
          this.#see(change, mayDecide)
      } catch (thrown) {
        this.#setBack(thrown)
      }
      await delay(RETRY_MS)
    }
  }

  async close(): Promise<void> {
    this.#end.abort()
    await Promise.allSettled(this.#busy)
  }

  #see({ seq, kind, run_id, hold_id }: RemoteChange, mayDecide: (hold: string) => boolean): void {
    if (seq !== this.#newest + 1) this.oddities.push(`P10: ${this.name} saw record ${seq} after ${this.#newest}`)
    this.#newest = seq
    if (kind === 'run.started' && run_id) this.begun.add(run_id)
    if (kind === 'run.finished' && run_id) this.finished.add(run_id)
    if (hold_id === null) return
    if (kind === 'hold.decided' || kind === 'hold.expired') this.open.delete(hold_id)
    if (kind !== 'hold.opened') return
    this.open.add(hold_id)
    if (mayDecide(hold_id)) this.#do(() => this.decide(hold_id))
  }

  #do(work: () => Promise<void>): void {
    const done = work()
      .catch(thrown => void this.oddities.push(`${this.name}: ${String(thrown)}`))
      .finally(() => this.#busy.delete(done))
    this.#busy.add(done)
  }

  /** As a person does who clicks again until somebody says how it stands. */
  async decide(hold: string): Promise<void> {
    const id = `${this.name}-${hold}`
    const view = await this.#insist(door => door.holdInContext(hold))
    if (view === null || view.status !== 'open') return
    const decision = this.#choose(view)
    const receipt = await this.#insist(door => door.decide(hold, { ...decision, digest: view.digest, decision_id: id }))
    if (receipt.outcome === 'recorded')
      this.told.push({ kind: 'decided', hold, actor: this.name, verdict: decision.verdict })
  }

  #choose(view: { readonly kind: string; readonly thread_id: string; readonly call_id: string | null }): Decision {
    if (view.kind === 'question') return { verdict: 'respond', value: 'this one' }
    if (view.kind === 'in_doubt') {
      const happened = this.#site.effects.includes(`${view.thread_id}/${view.call_id} `)
      return happened ? { verdict: 'respond', value: { exit_code: 0 } } : { verdict: 'approve' }
    }
    return { verdict: this.#random.chance(0.1) ? 'reject' : 'approve' }
  }

  #door(): RemoteHoldpoint {
    return this.#random.oneOf(this.#doors) as RemoteHoldpoint
  }

  /** What is refused is refused; what cannot be reached, or is asked too soon, is asked again, elsewhere. */
  async #insist<T>(ask: (door: RemoteHoldpoint) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask(this.#door())
      } catch (thrown) {
        this.#setBack(thrown)
        if (isRefusal(thrown) || this.#end.signal.aborted) throw thrown
      }
      await delay(RETRY_MS)
    }
  }

  #setBack(thrown: unknown): void {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)
    this.setbacks.set(code, (this.setbacks.get(code) ?? 0) + 1)
  }
}

function isRefusal(thrown: unknown): boolean {
  return thrown instanceof RefusedError && (thrown.code as string) !== 'too_many_requests'
}

/** A person at a shell of a machine, who decides what waits longest. */
export class Shell {
  readonly told: Told[] = []
  readonly oddities: string[] = []
  readonly #name: string
  readonly #machine: Machine
  #isOver = false

  constructor(name: string, machine: Machine) {
    this.#name = name
    this.#machine = machine
  }

  async attend(nextOpen: () => string | undefined): Promise<void> {
    while (!this.#isOver) {
      const hold = nextOpen()
      if (hold !== undefined) await this.#approve(hold)
      await delay(2_000)
    }
  }

  end(): void {
    this.#isOver = true
  }

  async #approve(hold: string): Promise<void> {
    const { exit, stdout, stderr } = await this.#machine.holdpoint(['approve', hold, '--json'], this.#name)
    if (/\n\s+at /.test(stderr))
      this.oddities.push(`${this.#name}: approve ${hold}: exit ${exit}: ${stderr.slice(0, 800)}`)
    if (isRecorded(stdout)) this.told.push({ kind: 'decided', hold, actor: this.#name, verdict: 'approve' })
  }
}

function isRecorded(stdout: string): boolean {
  try {
    const document = JSON.parse(stdout) as { receipts?: { outcome: string }[]; outcome?: string }
    return (document.receipts?.[0] ?? document).outcome === 'recorded'
  } catch {
    return false
  }
}

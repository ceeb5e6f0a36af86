import { BEAT_MS } from '../../core/advancing/stuck-run.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** A worker of another host that was silent for so long left no row that anybody needs. */
const FORGOTTEN_MS = 86_400_000

/** The row of a worker, by which others see that its runs go on. */
export class SignOfLife {
  readonly #runtime: Pick<Runtime, 'store' | 'clock' | 'liveness' | 'agents'>
  /** By the steady clock; `null` before the first. */
  #givenAt: number | null = null

  constructor(runtime: Pick<Runtime, 'store' | 'clock' | 'liveness' | 'agents'>) {
    this.#runtime = runtime
  }

  /** Gives one if it is time. Resolves to when the next is due, by the steady clock. */
  async give(): Promise<number> {
    const { store, clock, liveness, agents } = this.#runtime
    const now = clock.steady()
    if (this.#givenAt !== null && now < this.#givenAt + BEAT_MS) return this.#givenAt + BEAT_MS
    if (this.#givenAt === null) await this.#removeGone()
    await store.workers.isHere({ process: liveness.self, agents: agents.names?.() ?? [] })
    this.#givenAt = now
    return now + BEAT_MS
  }

  /** Nobody needs to wait for a row that says nothing new. */
  async end(): Promise<void> {
    const { store, liveness } = this.#runtime
    if (this.#givenAt !== null) await store.workers.leave([liveness.self]).catch(() => {})
  }

  async #removeGone(): Promise<void> {
    const { store, liveness } = this.#runtime
    const workers = await store.workers.list()
    const gone = workers.filter(({ process, silent_ms }) => liveness.isGone(process) || silent_ms > FORGOTTEN_MS)
    if (gone.length > 0) await store.workers.leave(gone.map(({ process }) => process))
  }
}

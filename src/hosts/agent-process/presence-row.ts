import { messageOf } from '../../core/errors.ts'
import type { PresenceChange } from '../../core/fleet/presence.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NewPresence } from '../../ports/store/fleet/presences.ts'
import type { Store } from '../../ports/store/store.ts'

/** Until the first try to write it again, in milliseconds; each later pause is twice as long. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

export interface PresenceRowDeps {
  readonly store: Pick<Store, 'presences'>
  readonly clock: Clock
  readonly owner: Pick<NewPresence, 'task_id' | 'invocation'>
  warn(problem: string): void
  /** A later invocation of the task is there: this process is not the agent's any more. */
  superseded(): void
}

/**
 * The row of this process. Changes that come while one is written are written together. The process itself needs the row
 * for nothing: if it cannot be written, others read less of the agent, and the run goes on.
 */
export class PresenceRow {
  readonly #deps: PresenceRowDeps
  #next: PresenceChange | null = null
  #writing: Promise<void> | null = null
  #isThere = false

  constructor(deps: PresenceRowDeps) {
    this.#deps = deps
  }

  /** Resolves after the first try. If that failed, it is tried again until the signal is aborted. */
  async arrive(door: Omit<NewPresence, 'task_id' | 'invocation'>, signal: AbortSignal): Promise<void> {
    const { store, owner, warn, superseded } = this.#deps
    const sign = async () => {
      if ((await store.presences.arrive({ ...owner, ...door })) === null) return superseded()
      this.#isThere = true
      this.note({})
    }
    await sign().catch(thrown => {
      warn(`Others cannot attach to this agent yet: its process could not sign in to the store: ${messageOf(thrown)}`)
      void this.#retry(sign, signal).catch(() => {})
    })
  }

  async #retry(sign: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      await this.#deps.clock.sleep(pause, signal)
      const isDone = await sign().then(
        () => true,
        () => false,
      )
      if (isDone) return
    }
  }

  note(change: PresenceChange): void {
    this.#next = { ...this.#next, ...change }
    if (!this.#isThere) return
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
  }

  /** Everything that was noted is written, and the row is gone. One that cannot be removed counts as gone with its process. */
  async leave(): Promise<void> {
    await this.#writing
    this.#isThere = false
    await this.#deps.store.presences.leave(this.#deps.owner).catch(() => {})
  }

  async #writeAll(): Promise<void> {
    while (this.#next) {
      const change = this.#next
      this.#next = null
      if (Object.keys(change).length === 0) continue
      await this.#deps.store.presences.change(this.#deps.owner, change).catch(() => {})
    }
  }
}

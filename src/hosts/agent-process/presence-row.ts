import { clearTimeout, setTimeout } from 'node:timers'
import { messageOf } from '../../core/errors.ts'
import type { PresenceChange } from '../../core/fleet/presence.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NewPresence } from '../../ports/store/fleet/presences.ts'
import type { Store } from '../../ports/store/store.ts'
import type { AgentContext } from './place.ts'

/** Until the first try to write it again, in milliseconds; each later pause is twice as long. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

interface PresenceRowDeps {
  readonly store: Pick<Store, 'presences'>
  readonly clock: Clock
  readonly owner: Pick<NewPresence, 'task_id' | 'invocation'>
  warn(problem: string): void
  /** A later invocation of the task is there: this process is not the agent's any more. */
  superseded(): void
}

/**
 * The row of this process. Changes during a write are written together. The process itself does not need the row: if it
 * cannot be written, others see less of the agent, and the run goes on.
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
      // Noted as the last write ended.
      if (this.#next) this.note({})
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

/**
 * Rings after the session has grown. Every process is woken by every commit to the store, and most commits of a big fleet
 * are about others: each of those costs one query here.
 */
export function wakeOnGrowth(
  { store, holdpoint }: { readonly store: Pick<AgentContext['store'], 'newest'>; readonly holdpoint: Watched },
  threadId: string,
  ring: () => void,
): Disposable {
  let known: number | null = null
  const look = async () => {
    const seq = (await store.newest([threadId])).get(threadId) ?? 0
    if (seq === known) return
    known = seq
    ring()
  }
  // A store that fails is looked at by who is rung.
  return holdpoint.watch(() => void look().catch(ring))
}

type Watched = Pick<AgentContext['holdpoint'], 'watch'>

/** A process that changes nothing for so long has nothing to do. */
const QUIET_MS = 1_000

/**
 * Collects garbage once this process has rested for a while, unless the result is disposed of before. V8 waits for the
 * next allocation: the garbage of a long answer, some 80 MB, would stay until the next message. Does nothing in a Node
 * that was not started with `--expose-gc`.
 */
export function collectGarbageWhenIdle(): Disposable {
  const { gc } = globalThis
  const timer = gc ? setTimeout(() => void gc(), QUIET_MS).unref() : undefined
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

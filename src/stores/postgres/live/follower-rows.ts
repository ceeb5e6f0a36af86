import { monotonicMs } from '../../../async/monotonic.ts'
import type { Query } from '../database/pool.ts'
import { keepFollowers, removeFollowers } from './follower-table.ts'

const TTL_MS = 15_000
const RENEW_MS = 5_000

interface RowsDeps {
  readonly query: Query
  /** The name of this process. */
  readonly follower: string
  /** Whether notices arrive: without them no row asks for any. */
  isHeard(): boolean
  /** Announces the new row to the writers. */
  announce(): Promise<void>
}

/** The rows of this process in `followers`: one for each thread that it follows, written one after the other. */
export class FollowerRows {
  readonly #deps: RowsDeps
  readonly #wanted = new Set<string>()
  /** When each row was written. */
  readonly #kept = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null
  #underway: Promise<void> | null = null
  #again = false

  constructor(deps: RowsDeps) {
    this.#deps = deps
  }

  add(threadId: string): void {
    this.#wanted.add(threadId)
    this.#timer ??= setInterval(() => this.bringUpToDate(), RENEW_MS).unref()
  }

  remove(threadId: string): void {
    this.#wanted.delete(threadId)
    this.bringUpToDate()
    if (this.#wanted.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  bringUpToDate(): void {
    this.#again = true
    this.#underway ??= this.#writeAll()
  }

  /** Removes them. */
  async close(): Promise<void> {
    for (const threadId of [...this.#wanted]) this.remove(threadId)
    await this.#underway
  }

  async #writeAll(): Promise<void> {
    while (this.#again) {
      this.#again = false
      // A write that fails is done at the next renewal, and a row that stays runs out.
      await this.#write().catch(() => {})
    }
    // In the same moment as the last look at what is wanted.
    this.#underway = null
  }

  async #write(): Promise<void> {
    const { query, follower, isHeard, announce } = this.#deps
    const gone = [...this.#kept.keys()].filter(id => !this.#wanted.has(id))
    for (const id of gone) this.#kept.delete(id)
    if (gone.length > 0) await removeFollowers(query, follower, gone)
    const from = monotonicMs() - RENEW_MS / 2
    const threadIds = [...this.#wanted].filter(id => (this.#kept.get(id) ?? Number.NEGATIVE_INFINITY) < from)
    if (threadIds.length === 0 || !isHeard()) return
    const hasNew = threadIds.some(id => !this.#kept.has(id))
    for (const id of threadIds) this.#kept.set(id, monotonicMs())
    await keepFollowers(query, { follower, threadIds, ttlMs: TTL_MS })
    if (hasNew) await announce()
  }
}

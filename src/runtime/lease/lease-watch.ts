/**
 * Who may take a lease from its owner (P7). Keeps:
 * L1  A step of the clock of a host, or of a database, takes no lease.
 * L2  The lease of a process that certainly lives stays, and that of one that certainly is gone is free at once.
 * L3  Of any other owner it is free once this process saw the same lease, not renewed, for a whole lease of its steady clock.
 */
import { LeaseLostError } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { SeenLease } from '../../ports/store/run-queue.ts'
import type { Store } from '../../ports/store/store.ts'
import { ClockWatch } from './clock-watch.ts'
import { LEASE_MS } from './keep-lease.ts'

/** How long what was seen of a lease that nobody looks at any more is remembered, in milliseconds. */
const REMEMBERED_MS = 10 * LEASE_MS

interface Seen {
  readonly lease: SeenLease
  /** By the steady clock. */
  readonly since: number
  readonly lookedAt: number
}

/** The runtime of a face: all its advances, and its worker, share what they saw. */
export interface WatchfulRuntime extends Runtime {
  readonly leases: LeaseWatch
  readonly clocks: ClockWatch
}

export function watchful(runtime: Runtime): WatchfulRuntime {
  const clocks = new ClockWatch()
  return { ...runtime, leases: new LeaseWatch(runtime), clocks, isClockTrusted: () => clocks.isTrusted }
}

interface LeaseWatchDeps {
  readonly clock: Pick<Clock, 'steady'>
  readonly liveness: Liveness
  readonly store: Pick<Store, 'reclaim' | 'run'>
}

export class LeaseWatch {
  readonly #deps: LeaseWatchDeps
  /** Oldest look first. */
  readonly #seen = new Map<string, Seen>()
  /** The runs that this owner advances or is about to, and how many times. */
  readonly #own = new Map<string, number>()

  constructor(deps: LeaseWatchDeps) {
    this.#deps = deps
  }

  /**
   * For as long as `work` lasts, the lease of the run may be this owner's, and nobody else here takes it. If it throws, a
   * lease may be left: the store failed to release it, or to tell that it was claimed.
   */
  async owning<T>(runId: string, work: () => Promise<T>): Promise<T> {
    this.#own.set(runId, (this.#own.get(runId) ?? 0) + 1)
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof LeaseLostError)) this.#giveBackLater(runId)
      throw thrown
    } finally {
      const left = (this.#own.get(runId) ?? 1) - 1
      if (left > 0) this.#own.set(runId, left)
      else this.#own.delete(runId)
    }
  }

  /** L2 would keep all others from the run for as long as this process lives. */
  #giveBackLater(runId: string): void {
    const timer = setInterval(() => {
      this.#isGivenBack(runId).then(
        isOver => isOver && clearInterval(timer),
        // The store may be well again later.
        () => {},
      )
    }, LEASE_MS / 3)
    timer.unref()
  }

  async #isGivenBack(runId: string): Promise<boolean> {
    const lease = (await this.#deps.store.run(runId))?.lease ?? null
    if (lease?.owner !== this.#deps.liveness.self) return true
    return this.reclaim({ run_id: runId, ...lease })
  }

  /** True if the run has no lease any more, or one that may be taken, and was. */
  async free(runId: string): Promise<boolean> {
    const row = await this.#deps.store.run(runId)
    return row !== null && (row.lease === null || this.reclaim({ run_id: runId, ...row.lease }))
  }

  /** True if the lease may be taken, and was: nobody has it now. */
  async reclaim(lease: SeenLease): Promise<boolean> {
    return this.#mayBeTaken(lease) && (await this.#deps.store.reclaim(lease))
  }

  #mayBeTaken(lease: SeenLease): boolean {
    const { liveness } = this.#deps
    // What this owner could not give back, it may take again.
    if (lease.owner === liveness.self) return !this.#own.has(lease.run_id)
    if (liveness.isGone(lease.owner)) return true
    return !liveness.isAlive(lease.owner) && this.#watched(lease) >= LEASE_MS
  }

  /** For how long the lease was seen as it is, in milliseconds. */
  #watched(lease: SeenLease): number {
    const now = this.#deps.clock.steady()
    this.#forget(now)
    const before = this.#seen.get(lease.run_id)
    const since = before && isSame(before.lease, lease) ? before.since : now
    this.#seen.delete(lease.run_id)
    this.#seen.set(lease.run_id, { lease, since, lookedAt: now })
    return now - since
  }

  #forget(now: number): void {
    for (const [id, { lookedAt }] of this.#seen) {
      if (now - lookedAt < REMEMBERED_MS) return
      this.#seen.delete(id)
    }
  }
}

function isSame(one: SeenLease, other: SeenLease): boolean {
  return one.owner === other.owner && one.fence === other.fence && one.until === other.until
}

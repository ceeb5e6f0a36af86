/**
 * Decides who may take a lease from its owner (P7). Keeps:
 * L1  A step of the clock of a host, or of a database, takes no lease.
 * L2  The lease of a process that certainly lives stays; that of a process that certainly died is free at once.
 * L3  The lease of any other owner is free once this process saw it unrenewed for a whole lease of its steady clock.
 */
import type { NewAuditEntry } from '../../core/audit/audit.ts'
import { LeaseLostError, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { SeenLease } from '../../ports/store/run-queue.ts'
import type { Lease } from '../../ports/store/runs.ts'
import type { Store } from '../../ports/store/store.ts'
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
  /** Why this owner could not give back the lease of a run. */
  readonly #failed = new Map<string, unknown>()
  /** The runs that this owner advances or is about to, and how many times. */
  readonly #own = new Map<string, number>()

  constructor(deps: LeaseWatchDeps) {
    this.#deps = deps
  }

  /**
   * While `work` lasts, this owner may hold the run's lease, and no other worker here takes it. If `work` throws, a
   * lease may be left: the store failed to release it, or to report the claim.
   */
  async owning<T>(runId: string, work: () => Promise<T>): Promise<T> {
    this.#own.set(runId, (this.#own.get(runId) ?? 0) + 1)
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof LeaseLostError)) this.#giveBackLater(runId, thrown)
      throw thrown
    } finally {
      const left = (this.#own.get(runId) ?? 1) - 1
      if (left > 0) this.#own.set(runId, left)
      else this.#own.delete(runId)
    }
  }

  /** L2 would keep all others from the run for as long as this process lives. */
  #giveBackLater(runId: string, thrown: unknown): void {
    this.#failed.set(runId, thrown)
    const timer = setInterval(() => {
      this.#isGivenBack(runId).then(
        isOver => {
          if (!isOver) return
          clearInterval(timer)
          this.#failed.delete(runId)
        },
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
    return this.#mayBeTaken(lease) && (await this.#deps.store.reclaim(lease, await this.#entryOf(lease)))
  }

  async #entryOf({ run_id, owner }: SeenLease): Promise<NewAuditEntry | undefined> {
    if (owner !== this.#deps.liveness.self || !this.#failed.has(run_id)) return undefined
    const row = await this.#deps.store.run(run_id)
    return row ? givenBack({ run_id, thread_id: row.thread_id, owner }, this.#failed.get(run_id)) : undefined
  }

  #mayBeTaken(lease: SeenLease): boolean {
    const { liveness } = this.#deps
    // An owner may take back a lease that it failed to release.
    if (lease.owner === liveness.self) return !this.#own.has(lease.run_id)
    if (liveness.isGone(lease.owner)) return true
    return !liveness.isAlive(lease.owner) && this.#watched(lease) >= LEASE_MS
  }

  /** How long the lease was seen unchanged, in milliseconds. */
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

/** How long both clocks must agree before a worker trusts a clock that was set, in milliseconds. */
const WATCHED_MS = 60_000
/** The time of a database is heard a moment late. */
const APART_MS = 1_000

interface Reading {
  readonly now: number
  readonly steady: number
}

/** Compares the clock of the store with the worker's own steady clock. */
class ClockWatch {
  #last: Reading | null = null
  /** Since when both agree, by the steady clock. */
  #since = 0

  look(reading: Reading): void {
    const { now, steady } = reading
    const last = this.#last
    const isStep = last === null || Math.abs(now - last.now - (steady - last.steady)) > APART_MS
    if (isStep) this.#since = steady
    this.#last = reading
  }

  /** True once both clocks agreed for a minute. */
  get isTrusted(): boolean {
    return this.#last !== null && this.#last.steady - this.#since >= WATCHED_MS
  }
}

const LONGEST_TEXT = 500

/**
 * P11: an owner that could not write to the journal records why as it releases the lease. Later questions about its
 * calls can then name the reason.
 */
export function givenBack(
  { run_id, thread_id, owner }: Pick<Lease, 'run_id' | 'thread_id' | 'owner'>,
  thrown: unknown,
): NewAuditEntry {
  return {
    kind: 'lease.given_back',
    thread_id,
    run_id,
    data: { owner, because: messageOf(thrown).slice(0, LONGEST_TEXT) },
  }
}

/** Events that no change announces: due holds, expired leases, owners that are gone. */
import type { Runtime } from '../../ports/runtime.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import { expireHolds } from '../holds/expire-holds.ts'
import type { WorkEvent } from './work-options.ts'

/** Milliseconds before a due hold that could not be fired is looked at again. */
const OVERDUE_MS = 1_000
/** While others hold leases: how soon it is seen that an owner is gone, before its lease runs out. */
const LIVENESS_MS = 2_000
const MOST_IN_A_PAGE = 200

export interface SweepDeps {
  readonly runtime: Pick<Runtime, 'store' | 'clock' | 'liveness'> & Runtime
  readonly tell: (event: WorkEvent) => void
  /** True for a run that this worker advances. */
  readonly isOwn: (runId: string) => boolean
}

export class Sweep {
  readonly #runtime: Runtime
  readonly #tell: SweepDeps['tell']
  readonly #isOwn: SweepDeps['isOwn']
  #sweptAt = Number.NEGATIVE_INFINITY
  #nextLeaseAt = Number.POSITIVE_INFINITY

  constructor({ runtime, tell, isOwn }: SweepDeps) {
    this.#runtime = runtime
    this.#tell = tell
    this.#isOwn = isOwn
  }

  /** Resolves to when something is due next (milliseconds since 1970). */
  async fireDue(): Promise<number> {
    const { clock, store } = this.#runtime
    const next = await store.nextDue()
    if (next === null) return Number.POSITIVE_INFINITY
    if (Date.parse(next) > clock.now()) return Date.parse(next)
    for (const event of await expireHolds(this.#runtime)) this.#tell(event)
    const after = await store.nextDue()
    return after === null ? Number.POSITIVE_INFINITY : Math.max(Date.parse(after), clock.now() + OVERDUE_MS)
  }

  /** Makes lost runs ready. Resolves to when to do so next (milliseconds since 1970). */
  async reclaimLost(): Promise<number> {
    const now = this.#runtime.clock.now()
    const soonest = this.#sweptAt + LIVENESS_MS
    if (now < soonest && now < this.#nextLeaseAt) return Math.min(soonest, this.#nextLeaseAt)
    this.#sweptAt = now
    this.#nextLeaseAt = Number.POSITIVE_INFINITY
    for await (const row of this.#leased()) await this.#look(row)
    return this.#nextLeaseAt
  }

  async #look({ id, lease }: RunRow): Promise<void> {
    if (lease === null || this.#isOwn(id)) return
    const { clock, liveness, store } = this.#runtime
    const until = Date.parse(lease.until)
    const seen = { run_id: id, ...lease }
    if (liveness.isGone(lease.owner)) await store.reclaim(seen)
    else if (until <= clock.now()) await store.reclaim({ ...seen, because: 'expired' })
    else this.#nextLeaseAt = Math.min(this.#nextLeaseAt, until, clock.now() + LIVENESS_MS)
  }

  async *#leased(): AsyncGenerator<RunRow> {
    for (let after: string | undefined, isMore = true; isMore; ) {
      const page = await this.#runtime.store.leasedRuns({
        limit: MOST_IN_A_PAGE,
        ...(after !== undefined && { after }),
      })
      yield* page
      after = page.at(-1)?.id
      isMore = page.length === MOST_IN_A_PAGE
    }
  }
}

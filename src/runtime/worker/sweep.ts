/** Events that no change announces: due holds, owners that are gone, and those that renew their leases no more. */
import type { RunRow } from '../../ports/store/runs.ts'
import { expireHolds } from '../holds/expire-holds.ts'
import type { WatchfulRuntime } from '../lease/lease-watch.ts'
import type { WorkEvent } from './work-options.ts'

/** Milliseconds before a due hold that could not be fired is looked at again. */
const OVERDUE_MS = 1_000
/** While others hold leases: from one look at them to the next. */
const LIVENESS_MS = 2_000
const MOST_IN_A_PAGE = 200

export interface SweepDeps {
  readonly runtime: WatchfulRuntime
  readonly tell: (event: WorkEvent) => void
  /** True for a run that this worker advances. */
  readonly isOwn: (runId: string) => boolean
}

export class Sweep {
  readonly #runtime: WatchfulRuntime
  readonly #tell: SweepDeps['tell']
  readonly #isOwn: SweepDeps['isOwn']
  /** By the steady clock. */
  #sweptAt = Number.NEGATIVE_INFINITY
  #isLeased = false

  constructor({ runtime, tell, isOwn }: SweepDeps) {
    this.#runtime = runtime
    this.#tell = tell
    this.#isOwn = isOwn
  }

  /** Resolves to when something is due next (milliseconds since 1970). */
  async fireDue(): Promise<number> {
    const { clock, clocks, store } = this.#runtime
    const next = await store.nextDue()
    if (next === null) return Number.POSITIVE_INFINITY
    const now = await store.now()
    clocks.look({ now, steady: clock.steady() })
    // Deadlines are the store's, and this process sleeps by its own clock.
    const ahead = clock.now() - now
    if (Date.parse(next) > now) return Date.parse(next) + ahead
    for (const event of await expireHolds(this.#runtime)) this.#tell(event)
    const after = await store.nextDue()
    return after === null ? Number.POSITIVE_INFINITY : Math.max(Date.parse(after) + ahead, clock.now() + OVERDUE_MS)
  }

  /** Makes lost runs ready. Resolves to when to do so next (milliseconds since 1970). */
  async reclaimLost(): Promise<number> {
    const { clock } = this.#runtime
    const rested = clock.steady() - this.#sweptAt
    if (rested < LIVENESS_MS) return clock.now() + LIVENESS_MS - rested
    this.#sweptAt = clock.steady()
    this.#isLeased = false
    for await (const row of this.#leased()) await this.#look(row)
    return this.#isLeased ? clock.now() + LIVENESS_MS : Number.POSITIVE_INFINITY
  }

  async #look({ id, lease }: RunRow): Promise<void> {
    if (lease === null || this.#isOwn(id)) return
    if (!(await this.#runtime.leases.reclaim({ run_id: id, ...lease }))) this.#isLeased = true
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

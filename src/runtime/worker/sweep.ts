/** Events that no change announces: due holds, owners that are gone, and those that renew their leases no more. */
import type { RunRow } from '../../ports/store/runs.ts'
import type { DueRuntime } from '../holds/due-holds.ts'
import type { WorkEvent } from './work-options.ts'

/** While others hold leases: from one look at them to the next. */
const LIVENESS_MS = 2_000
const MOST_IN_A_PAGE = 200

export interface SweepDeps {
  readonly runtime: DueRuntime
  readonly tell: (event: WorkEvent) => void
  /** True for a run that this worker advances. */
  readonly isOwn: (runId: string) => boolean
}

export class Sweep {
  readonly #runtime: DueRuntime
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

  /** Resolves to when something is due next, by the steady clock. */
  async fireDue(): Promise<number> {
    const { clock, due } = this.#runtime
    const next = await due.nextAt()
    if (next > clock.steady()) return next
    const { happened, unfired } = await due.fire()
    for (const event of happened) this.#tell(event)
    for (const { hold, ...failure } of unfired)
      this.#tell({ kind: 'due.failed', hold_id: hold.id, run_id: hold.run_id, ...failure })
    return due.nextAt()
  }

  /** Makes lost runs ready. Resolves to when to do so next, by the steady clock. */
  async reclaimLost(): Promise<number> {
    const { clock } = this.#runtime
    if (clock.steady() < this.#sweptAt + LIVENESS_MS) return this.#sweptAt + LIVENESS_MS
    this.#sweptAt = clock.steady()
    this.#isLeased = false
    for await (const row of this.#leased()) await this.#look(row)
    return this.#isLeased ? clock.steady() + LIVENESS_MS : Number.POSITIVE_INFINITY
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

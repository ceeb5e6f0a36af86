/** The ready runs of a store, for one worker. */
import { spreadOf } from '../../core/advancing/spread-of.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OfferAgain, ReadyRun, ReadyRuns } from '../../ports/ready-runs.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { Store } from '../../ports/store/store.ts'

const MOST_IN_A_PAGE = 200
/**
 * How many of the oldest runs each worker orders differently, if hosts share the store: so two workers seldom want the
 * same run.
 */
const SPREAD = 32
/** Every this many looks a worker takes the oldest run first, so that newer runs starve none. */
const OLDEST_EACH = 4

export interface StoredRunsDeps {
  readonly store: Pick<Store, 'readyRuns' | 'journal' | 'watch' | 'hosts'>
  readonly clock: Pick<Clock, 'steady'>
  /** The id of this worker. */
  readonly owner: string
  /** False: without the runs of tasks. Default: true. */
  readonly tasks?: boolean
}

export class StoredRuns implements ReadyRuns {
  readonly #store: StoredRunsDeps['store']
  readonly #clock: StoredRunsDeps['clock']
  readonly #tasks: boolean
  readonly #owner: string
  readonly #spread: number
  #takes = 0
  /** Runs that the worker has (`null`), or could not advance. */
  readonly #withheld = new Map<string, OfferAgain | null>()

  constructor({ store, clock, owner, tasks = true }: StoredRunsDeps) {
    this.#owner = owner
    this.#spread = store.hosts.self === null ? 1 : SPREAD
    this.#store = store
    this.#clock = clock
    this.#tasks = tasks
  }

  async take(limit: number): Promise<ReadyRun[]> {
    const taken: ReadyRun[] = []
    this.#takes += 1
    for await (const row of this.#ready(Math.max(limit, this.#spread) + this.#withheld.size)) {
      if (!(await this.#isOffered(row))) continue
      this.#withheld.set(row.id, null)
      taken.push(row)
      if (taken.length === limit) break
    }
    return taken
  }

  /** `null` if this run is not ready, or this worker is not to have it now. */
  async takeOne(id: string): Promise<ReadyRun | null> {
    const [row] = await this.#store.readyRuns({ run_id: id, limit: 1, tasks: this.#tasks })
    if (!row || !(await this.#isOffered(row))) return null
    this.#withheld.set(id, null)
    return row
  }

  async done({ id }: ReadyRun, again: OfferAgain | null): Promise<void> {
    if (again) this.#withheld.set(id, again)
    else this.#withheld.delete(id)
  }

  watch(onReady: () => void): Disposable {
    return this.#store.watch(() => onReady())
  }

  async *#ready(wanted: number): AsyncGenerator<RunRow> {
    const limit = Math.min(wanted, MOST_IN_A_PAGE)
    for (let after: string | undefined, isMore = true; isMore; ) {
      const page = await this.#store.readyRuns({ limit, tasks: this.#tasks, ...(after !== undefined && { after }) })
      yield* this.#spread === 1 || this.#takes % OLDEST_EACH === 0 ? page : this.#inOwnOrder(page)
      after = page.at(-1)?.id
      isMore = page.length === limit
    }
  }

  #inOwnOrder(page: readonly RunRow[]): RunRow[] {
    const ranked = page.map(row => ({ row, rank: spreadOf(`${this.#takes} ${this.#owner} ${row.id}`) }))
    return ranked.toSorted((one, other) => one.rank - other.rank).map(({ row }) => row)
  }

  async #isOffered({ id, thread_id }: ReadyRun): Promise<boolean> {
    const again = this.#withheld.get(id)
    if (again === undefined) return true
    if (again === null) return false
    if (again.at <= this.#clock.steady()) return true
    // A message or a decision may be what it lacked.
    return again.seq !== null && (await this.#store.journal(thread_id, again.seq, 1)).length > 0
  }
}

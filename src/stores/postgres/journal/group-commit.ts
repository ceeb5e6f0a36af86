/**
 * Group commit: what is appended while a statement is under way goes out together in the next one. Keeps: an append that is
 * alone waits for nothing; none waits for long behind a connection that does not answer.
 */
import type { Pool } from '../database/pool.ts'
import { type AtOnce, statementOfOne, statementOfSeveral } from './append-at-once.ts'

/**
 * `refused`: it was not written, and somebody else may have appended or taken the lease. `unknown`: it may have been, or be so
 * later. Who goes on looks first, and makes sure that it finds nothing to do.
 */
export type Outcome = 'written' | 'refused' | 'unknown'

const MOST_APPENDS = 64
/** Behind a statement that takes longer, others go out beside it. */
const MOST_WAIT_MS = 5

interface Waiting {
  readonly append: AtOnce
  readonly told: PromiseWithResolvers<Outcome>
}

export class GroupCommit {
  readonly #pool: Pool
  readonly #waiting: Waiting[] = []
  #isUnderWay = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  append(append: AtOnce): Promise<Outcome> {
    const told = Promise.withResolvers<Outcome>()
    this.#waiting.push({ append, told })
    if (!this.#isUnderWay) this.#next()
    return told.promise
  }

  #next(): void {
    const group = this.#waiting.splice(0, MOST_APPENDS)
    this.#isUnderWay = group.length > 0
    if (!this.#isUnderWay) return
    let isOver = false
    const goOn = () => {
      if (!isOver) this.#next()
      isOver = true
    }
    const late = setTimeout(goOn, MOST_WAIT_MS)
    void this.#write(group).finally(() => {
      clearTimeout(late)
      // Those that were told append again before it.
      setImmediate(goOn)
    })
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const [first] = group
    try {
      if (first && group.length === 1) first.told.resolve(await this.#alone(first.append))
      else await this.#together(group)
    } catch (thrown) {
      for (const { told } of group) told.reject(thrown)
    }
  }

  async #alone(append: AtOnce): Promise<Outcome> {
    const rows = await this.#pool.tryOnce(statementOfOne(append))
    if (rows === 'unknown') return rows
    return rows.length > 0 ? 'written' : 'refused'
  }

  /** What one of them fails with is not the failure of the others, so each goes on by itself. */
  async #together(group: readonly Waiting[]): Promise<void> {
    const statement = statementOfSeveral(group.map(({ append }) => append))
    const rows = await this.#pool.tryOnce(statement).catch(() => 'unknown' as const)
    const written = rows === 'unknown' ? null : new Set(rows.map(({ place }) => Number(place)))
    for (const [index, { told }] of group.entries()) told.resolve(outcomeOf(written, index + 1))
  }
}

function outcomeOf(written: ReadonlySet<number> | null, place: number): Outcome {
  if (written === null) return 'unknown'
  return written.has(place) ? 'written' : 'refused'
}

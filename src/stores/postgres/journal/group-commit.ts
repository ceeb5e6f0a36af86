/**
 * Group commit: appends that come while a statement is under way go out together in the next one. Keeps: an append that is
 * alone waits for nothing; one that comes later never waits for long behind a connection that does not answer; what one
 * append fails with is no failure of the others.
 */
import { StoreError } from '../../store-error.ts'
import type { Pool } from '../database/pool.ts'
import { type AtOnce, statementOfOne, statementOfSeveral } from './append-at-once.ts'

/**
 * `refused`: it was not written. Another writer appended, took the lease, or held the thread or the run at that moment.
 * `unknown`: it may have been written, or may be so later. The caller looks first, and moves the journal on, so that a late
 * statement finds nothing to do.
 */
export type Outcome = 'written' | 'refused' | 'unknown'

const MOST_APPENDS = 16
/** Characters. A longer append is sent alone. */
const MOST_TEXT = 256 * 1_024
/** If a statement takes longer, the next one is sent without waiting for it. */
const MOST_WAIT_MS = 5

interface Waiting {
  readonly append: AtOnce
  readonly told: PromiseWithResolvers<Outcome>
}

export class GroupCommit {
  readonly #pool: Pool
  #waiting: Waiting[] = []
  #mustWait = false
  #hasWarned = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  append(append: AtOnce): Promise<Outcome> {
    const told = Promise.withResolvers<Outcome>()
    this.#waiting.push({ append, told })
    if (!this.#mustWait) this.#next()
    return told.promise
  }

  #next(): void {
    const group = firstGroup(this.#waiting)
    this.#mustWait = group.length > 0
    if (!this.#mustWait) return
    this.#waiting = this.#waiting.filter(waiting => !group.includes(waiting))
    let isOver = false
    const goOn = () => {
      clearInterval(late)
      if (!isOver) this.#next()
      isOver = true
    }
    // Without a free connection, the next group grows instead.
    const late = setInterval(() => this.#pool.hasFreeConnection && goOn(), MOST_WAIT_MS)
    // The writers of this group have time to append again before the next one.
    void this.#write(group).finally(() => setImmediate(goOn))
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const appends = group.map(({ append }) => append)
    try {
      const rows = await this.#pool.tryOnce(statementOf(appends))
      const written = rows === 'unknown' ? null : new Set(rows.map(({ place }) => Number(place)))
      for (const [index, { told }] of group.entries()) told.resolve(outcomeOf(written, index + 1))
    } catch (thrown) {
      const [first, ...others] = group
      if (others.length === 0) return first?.told.reject(thrown)
      this.#warn(thrown)
      for (const { told } of group) told.resolve('unknown')
    }
  }

  /** Each append is then written alone, and fails alone. Only this warning shows that the group failed. */
  #warn(thrown: unknown): void {
    const isUnexpected = thrown instanceof StoreError && thrown.code === 'store_failed'
    if (this.#hasWarned || !isUnexpected) return
    this.#hasWarned = true
    process.emitWarning(
      `The store ${this.#pool.display} refused to write for several runs together, so each was written by itself: ${String(thrown)}`,
      { code: 'store_group_failed' },
    )
  }
}

/** In the order in which they came. Of two for one thread, the second waits for the next group. */
function firstGroup(waiting: readonly Waiting[]): readonly Waiting[] {
  const group: Waiting[] = []
  const threads = new Set<string>()
  let text = 0
  for (const next of waiting) {
    const { lease, size } = next.append
    text += size
    if (group.length > 0 && (group.length === MOST_APPENDS || text > MOST_TEXT)) break
    if (threads.has(lease.thread_id)) continue
    threads.add(lease.thread_id)
    group.push(next)
  }
  return group
}

function statementOf(appends: readonly AtOnce[]): ReturnType<typeof statementOfOne> {
  const [first, ...others] = appends
  return first && others.length === 0 ? statementOfOne(first) : statementOfSeveral(appends)
}

function outcomeOf(written: ReadonlySet<number> | null, place: number): Outcome {
  if (written === null) return 'unknown'
  return written.has(place) ? 'written' : 'refused'
}

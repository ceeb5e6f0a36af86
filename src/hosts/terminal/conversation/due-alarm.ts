import type { Hold } from '../../../core/hold/hold.ts'
import { systemClock } from '../../process/system-clock.ts'

/** Before holds that are overdue are looked at again: another process may be about to fire them. */
const OVERDUE_MS = 1_000
/** A timer takes no more than 24 days. */
const LONGEST_MS = 24 * 3_600_000

type Timed = Pick<Hold, 'due_at' | 'remind_at' | 'reminded'>

/** Rings when the first deadline or reminder of the open holds has passed. */
export class DueAlarm implements Disposable {
  readonly #ring: () => Promise<void>
  #timer: NodeJS.Timeout | null = null
  #isOver = false

  constructor(ring: () => Promise<void>) {
    this.#ring = ring
  }

  set(holds: readonly Timed[]): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const next = Math.min(...holds.flatMap(timesOf))
    if (this.#isOver || !Number.isFinite(next)) return
    const left = next - systemClock.now()
    const wait = left > 0 ? Math.min(left, LONGEST_MS) : OVERDUE_MS
    // If the store fails here, the person's next act meets that too.
    this.#timer = setTimeout(() => this.#ring().catch(() => {}), wait).unref()
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.set([])
  }
}

function timesOf({ due_at, remind_at, reminded }: Timed): number[] {
  return [due_at, remind_at[reminded]].flatMap(at => (at ? [Date.parse(at)] : []))
}

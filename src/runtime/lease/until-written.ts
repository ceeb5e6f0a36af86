import { mayWriteAgain } from '../../core/store-write.ts'
import type { Clock } from '../../ports/clock.ts'

const FIRST_REST_MS = 100
const LONGEST_REST_MS = 1_000

interface Bounds {
  readonly clock: Pick<Clock, 'steady' | 'sleep'>
  /** Aborted when the run is to stop, or its lease is lost. */
  readonly signal: AbortSignal
  /** How long, in milliseconds: that of a lease, which nobody may have been able to renew meanwhile. */
  readonly forMs: number
}

/**
 * P3: what a store surely did not write is written again, so that a lock of another program loses no result of a tool. A
 * stop ends it. @throws what the last try threw
 */
export async function untilWritten<T>(write: () => Promise<T>, { clock, signal, forMs }: Bounds): Promise<T> {
  const end = clock.steady() + forMs
  for (let rest = FIRST_REST_MS; ; rest = Math.min(rest * 2, LONGEST_REST_MS)) {
    try {
      return await write()
    } catch (thrown) {
      if (!mayWriteAgain(thrown) || clock.steady() + rest > end) throw thrown
      await clock.sleep(rest, signal).catch(() => {})
      if (signal.aborted) throw thrown
    }
  }
}

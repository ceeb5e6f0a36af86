import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './sqlite-errors.ts'

/** How long a lock of another process is waited for, in milliseconds. */
const PATIENCE_MS = 10_000
const FIRST_REST_MS = 1
const LONGEST_REST_MS = 25

/**
 * Tries again while another process has the lock. SQLite itself would wait without letting this process do anything
 * else: a server would answer nobody. `work` changes nothing if it throws.
 */
export async function whileLocked<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (let rest = FIRST_REST_MS; ; rest = Math.min(rest * 2, LONGEST_REST_MS)) {
    try {
      return work()
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() > deadline) throw thrown
      await sleep(rest)
    }
  }
}

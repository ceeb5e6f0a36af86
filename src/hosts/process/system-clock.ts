import { uptime } from 'node:os'
import type { Clock } from '../../ports/clock.ts'

/** The longest wait of a timer, in milliseconds. A longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  // The time in which the machine slept counts: leases of others ran out meanwhile.
  steady: () => uptime() * 1_000,
  sleep: async (ms, signal) => {
    for (let left = ms; left > 0; left -= LONGEST_MS) await pause(Math.min(left, LONGEST_MS), signal)
    signal.throwIfAborted()
  },
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

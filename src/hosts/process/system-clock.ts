import { uptime } from 'node:os'
import type { Clock } from '../../ports/clock.ts'

/** The longest wait of a timer, in milliseconds. A longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/** The time since the machine started takes a read of a file, and steps ask for it often: it is looked at so seldom. */
const LOOK_MS = 50

/** The resolution of the system's own counter: times are whole milliseconds. */
const TICK_MS = 10

/** Since the process began, by the clock of the process. */
let looked = Number.NEGATIVE_INFINITY
/** The time since the machine started is so much more. It grows while the machine sleeps. */
let ahead = Number.NEGATIVE_INFINITY

/** The time in which the machine slept counts: leases of others ran out meanwhile. */
function steady(): number {
  const now = performance.now()
  if (now - looked >= LOOK_MS) {
    looked = now
    ahead = Math.max(ahead, uptime() * 1_000 - now)
  }
  return Math.floor((now + ahead) / TICK_MS) * TICK_MS
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steady,
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

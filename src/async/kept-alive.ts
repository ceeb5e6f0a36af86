import { onAbort } from './on-abort.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * A process that does nothing but follow is not over: what the store listens with does not keep one alive. After an abort
 * the process can end, even if the follower is not read to its end.
 */
export function keptAlive(signal: AbortSignal): Disposable {
  const timer = setInterval(() => {}, LONGEST_TIMER_MS)
  const aborted = onAbort(signal, () => clearInterval(timer))
  return {
    [Symbol.dispose]: () => {
      aborted[Symbol.dispose]()
      clearInterval(timer)
    },
  }
}

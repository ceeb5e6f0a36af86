import { onAbort } from './on-abort.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Keeps a process alive that only follows: the store's listeners do not. After an abort the process can end, even if
 * the follower is not read to its end.
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

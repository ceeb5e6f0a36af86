import { clearTimeout, setTimeout } from 'node:timers'

/** A process that rests for so long has nothing to do. */
const QUIET_MS = 1_000

/**
 * Collects garbage once this process has rested for a while, unless the result is disposed of before. V8 waits for the
 * next allocation: the garbage of a long answer, some 80 MB, would stay until the next message. Does nothing in a Node
 * that was not started with `--expose-gc`.
 */
export function tidyMemoryAtRest(): Disposable {
  const { gc } = globalThis
  const timer = gc ? setTimeout(() => void gc(), QUIET_MS).unref() : undefined
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

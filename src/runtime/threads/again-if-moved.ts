import { RefusedError } from '../../core/errors.ts'

/** So often a run may move on, or end, between a look and the write that follows it. */
const TRIES = 5

/** Repeats `work`, with a new look, if a run moved on between its look and its write. */
export async function againIfMoved<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof RefusedError && thrown.code === 'superseded') || left === 1) throw thrown
    }
  }
}

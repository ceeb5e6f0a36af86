import { RefusedError } from '../../core/errors.ts'

/** So often a run may move on, or end, between a look and the write that follows it. */
const TRIES = 5

/** Does it again, by how things stand then, if a run moved on between the look and the write of `work`. */
export async function againIfMoved<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof RefusedError && thrown.code === 'superseded') || left === 1) throw thrown
    }
  }
}

import type { RunnableConfig } from '@langchain/core/runnables'
import type { GraphPlace } from '../ports/store/graphs.ts'

/** @throws TypeError without a `thread_id` */
export function placeOf({ configurable = {} }: RunnableConfig): Omit<GraphPlace, 'checkpoint_id'> {
  const { thread_id, checkpoint_ns = '' } = configurable
  return { thread_id: threadOf(thread_id), namespace: String(checkpoint_ns) }
}

/** @throws TypeError if it cannot name a thread */
export function threadOf(given: unknown): string {
  if (typeof given === 'string' && given !== '' && !given.includes('\0')) return given
  throw new TypeError(
    'A graph with a checkpointer needs the name of its thread: `{ configurable: { thread_id: "…" } }`, a text that is not ' +
      'empty.',
  )
}

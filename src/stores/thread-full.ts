import { storeFailures } from './store-refusals.ts'

/** A shift, so that it serves in SQL too. */
export const SEQ_BITS = 22

/** More than the events of one thread, in every store; a thread number may use the remaining bits of a safe integer. */
export const SEQ_SPAN: number = 2 ** SEQ_BITS

/** The next place would be in the journal of another thread. @throws StoreError `thread_full` */
export function refuseFull(threadId: string, newest: number): void {
  if (newest < SEQ_SPAN) return
  throw storeFailures.threadFull(threadId, SEQ_SPAN - 1)
}

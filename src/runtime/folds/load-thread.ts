import { goOn } from '../../core/folds/kept-fold.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { fold } from '../../core/journal/fold.ts'
import type { Thread } from '../../core/journal/thread.ts'
import { unknownThread } from '../../core/run/unknown-run.ts'
import type { JournalStore } from '../../ports/store/journal.ts'

/** A thread in its present state, with the events that were read for it: all, or the newest. */
interface Loaded {
  readonly thread: Thread
  readonly events: readonly JournalEvent[]
}

/**
 * For a process that goes on with a thread: from its kept fold if there is one, and the events since.
 * @throws RefusedError `unknown_session`, CorruptJournalError
 */
export async function loadThread(store: Pick<JournalStore, 'journal' | 'keptFold'>, threadId: string): Promise<Loaded> {
  const kept = await store.keptFold(threadId)
  const tail = kept ? await store.journal(threadId, kept.thread.seq - 1) : []
  const light = kept && goOn(kept, tail)
  if (light) return { thread: light, events: tail }
  const events = await store.journal(threadId)
  if (events.length === 0) throw unknownThread(threadId)
  return { thread: fold(threadId, events), events }
}

/** The thread with the contents of all its messages. */
export async function wholeThread(store: Pick<JournalStore, 'journal'>, thread: Thread): Promise<Thread> {
  return thread.left_out === 0 ? thread : fold(thread.id, await store.journal(thread.id, 0, thread.seq))
}

import type { JournalEvent } from '../../core/journal/event.ts'
import { unknownThread } from '../../core/run/unknown-run.ts'
import type { JournalStore } from '../../ports/store/journal.ts'
import { givenId } from '../views/given-queries.ts'

/** @throws RefusedError `unknown_session` */
export async function knownJournal(
  store: Pick<JournalStore, 'journal'>,
  threadId: string,
): Promise<readonly JournalEvent[]> {
  const events = await store.journal(givenId('session', threadId))
  if (events.length === 0) throw unknownThread(threadId)
  return events
}

/** The newest `seq` of a thread. @throws RefusedError `unknown_session` */
export async function knownSeq(store: Pick<JournalStore, 'newest'>, threadId: string): Promise<number> {
  const seq = (await store.newest([givenId('session', threadId)])).get(threadId)
  if (seq === undefined) throw unknownThread(threadId)
  return seq
}

import type { Hold } from '../../core/hold/hold.ts'
import { type ResultLine, resultOf } from '../../core/hold-view/hold-result.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { unlessCorrupt } from '../views/run-inputs.ts'

interface Journals {
  journal(threadId: string): Promise<readonly JournalEvent[]>
}

/** By hold id: what came of those that were decided. The journal of each session is read once. */
export async function holdResults(
  holdpoint: Journals,
  holds: readonly Hold[],
): Promise<ReadonlyMap<string, ResultLine | null>> {
  const decided = Map.groupBy(
    holds.filter(({ decision, call_id }) => decision !== null && call_id !== null),
    ({ thread_id }) => thread_id,
  )
  const results = new Map<string, ResultLine | null>()
  for (const [threadId, own] of decided) {
    const events = (await unlessCorrupt(() => holdpoint.journal(threadId))) ?? []
    for (const hold of own) results.set(hold.id, resultOf(hold, events))
  }
  return results
}

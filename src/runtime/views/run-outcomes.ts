import { type RunOutcome, runOutcome } from '../../core/timeline/run-outcome.ts'
import type { JournalStore } from '../../ports/store/journal.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import { unlessCorrupt } from './run-inputs.ts'

/** The end of a run is among this many of the last events of its thread, or its list leaves it out. */
const LAST_EVENTS = 200

/** By run id: what came of each finished run. Of a thread, only its newest events are read. */
export async function runOutcomes(
  store: Pick<JournalStore, 'journal' | 'newest'>,
  rows: readonly RunRow[],
): Promise<ReadonlyMap<string, RunOutcome>> {
  const done = rows.filter(({ status }) => status === 'done')
  const newest = await store.newest([...new Set(done.map(({ thread_id }) => thread_id))])
  const outcomes = new Map<string, RunOutcome>()
  for (const { id, thread_id } of done) {
    const after = Math.max(0, (newest.get(thread_id) ?? 0) - LAST_EVENTS)
    const outcome = await unlessCorrupt(async () => runOutcome(id, await store.journal(thread_id, after, LAST_EVENTS)))
    if (outcome !== null) outcomes.set(id, outcome)
  }
  return outcomes
}

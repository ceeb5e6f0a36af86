import { HoldpointError } from '../../core/errors.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { contentText } from '../../core/message/part-words.ts'
import type { JournalStore } from '../../ports/store/journal.ts'
import type { RunRow } from '../../ports/store/runs.ts'

type Journals = Pick<JournalStore, 'journal' | 'newest'>

/** The message of a run is among this many of its first events. */
const FIRST_EVENTS = 8

/** By run id: the text of the message that began the run. A run that began without one is left out. */
export async function runInputs(store: Journals, rows: readonly RunRow[]): Promise<ReadonlyMap<string, string>> {
  const inputs = new Map<string, string>()
  for (const row of rows) {
    const input = await unlessCorrupt(() => runInput(store, row))
    if (input !== null) inputs.set(row.id, input)
  }
  return inputs
}

/** By thread id: the text of the message that began the thread. */
export async function threadInputs(
  store: Journals,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const inputs = new Map<string, string>()
  for (const id of threadIds) {
    const input = await unlessCorrupt(async () => firstInput(await store.journal(id, 0, FIRST_EVENTS)))
    if (input !== null) inputs.set(id, input)
  }
  return inputs
}

/** A damaged journal hides no other: its rows are listed without a beginning. */
export async function unlessCorrupt<V>(read: () => Promise<V | null>): Promise<V | null> {
  try {
    return await read()
  } catch (thrown) {
    if (thrown instanceof HoldpointError && thrown.code === 'corrupt_journal') return null
    throw thrown
  }
}

/** Most threads have one run, whose message is at their beginning. */
async function runInput(store: Journals, { id, thread_id, created_at }: RunRow): Promise<string | null> {
  const isOwn = ({ run_id }: JournalEvent) => run_id === id
  const first = firstInput((await store.journal(thread_id, 0, FIRST_EVENTS)).filter(isOwn))
  if (first !== null) return first
  const seq = await seqAt(store, thread_id, created_at)
  return firstInput((await store.journal(thread_id, seq - 1, FIRST_EVENTS)).filter(isOwn))
}

function firstInput(events: readonly JournalEvent[]): string | null {
  for (const { kind, data } of events)
    if (kind === 'message.received' && data.forced_by === null) return contentText(data.content)
  return null
}

/** The first event at or after a time: a search by halves, so a long journal is not read for it. */
async function seqAt(store: Journals, threadId: string, time: string): Promise<number> {
  let [low, high] = [1, (await store.newest([threadId])).get(threadId) ?? 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [event] = await store.journal(threadId, middle - 1, 1)
    if (event !== undefined && event.at < time) low = middle + 1
    else high = middle
  }
  return low
}

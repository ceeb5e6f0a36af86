import type { JournalEvent } from '../../core/journal/event.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import type { Store } from '../../ports/store/store.ts'
import { threadOfCheckpoint } from './checkpoint-id.ts'

/** The thread and the position that a checkpoint names. */
export interface CheckpointPlace {
  readonly thread_id: string
  readonly run_id: string
  /** The position of the event that named it. */
  readonly seq: number
  /** The whole journal of its thread, past the checkpoint too. */
  readonly events: readonly JournalEvent[]
}

/** @throws RefusedError `unknown_checkpoint` */
export async function loadCheckpoint(store: Store, id: string): Promise<CheckpointPlace> {
  const thread_id = threadOfCheckpoint(id)
  const events = thread_id === null ? [] : await store.journal(thread_id)
  const named = events.find(event => event.kind === 'checkpoint.named' && event.data.checkpoint_id === id)
  if (!named || thread_id === null) throw runRefusals.unknownCheckpoint(id, store.location.display)
  return { thread_id, run_id: named.run_id, seq: named.seq, events }
}

/** The journal as it was at the checkpoint. The end of a run belongs to the checkpoint that announces it. */
export function eventsUpTo({ events, seq }: CheckpointPlace): readonly JournalEvent[] {
  return events.slice(0, events[seq]?.kind === 'run.finished' ? seq + 1 : seq)
}

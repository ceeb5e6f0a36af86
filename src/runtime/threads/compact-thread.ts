import type { NewRequest } from '../../core/advancing/request.ts'
import { A_NAME, A_TEXT, ANYTHING, checkFields, orNothing, type Rules } from '../../core/given-fields.ts'
import { plainEvent } from '../../core/journal/event.ts'
import type { Run, Thread } from '../../core/journal/thread.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import { droppableParts, type PartPlace } from '../../core/repair/droppable.ts'
import { foldedTo } from '../../core/run/context/compaction.ts'
import { EVERY_PROVIDER } from '../../core/run/repair/context-repair.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** A wish of a person: models are sent less of the conversation. All of it stays on record. */
export interface CompactOptions {
  readonly by: string
  /** What the summary keeps in particular. Default: left to the model. */
  readonly keep?: string | null
  /** Instead of a summary: this message, or this picture or file in it, is left out. Places are counted from 0. */
  readonly drop?: PartPlace
}

/** The wish is event `seq` of the thread. */
export interface CompactionAsked {
  readonly thread_id: string
  readonly seq: number
}

const OPTIONS: Rules<CompactOptions> = { by: A_NAME, keep: orNothing(A_TEXT), drop: ANYTHING }

/** @throws RefusedError if there is nothing to fold or no such part, or the thread moved on meanwhile */
export async function requestCompaction(
  runtime: Runtime,
  thread: Thread,
  options: CompactOptions,
): Promise<CompactionAsked> {
  const wish = checkFields('compact', options, OPTIONS)
  const { run, seq } = thread
  if (run === null) throw runRefusals.nothingToFold(thread.id)
  const event = wish.drop === undefined ? foldEvent(thread, run, wish) : dropEvent(thread, run, wish)
  const requested = await runtime.store.request({
    ...{ run_id: run.id, event, withdraw: false, unlessWaiting: false },
    ...(run.termination && { after: seq }),
  })
  if (requested?.outcome !== 'recorded') throw runRefusals.movedOnUnfolded(thread.id)
  return { thread_id: thread.id, seq: requested.events.at(-1)?.seq ?? seq }
}

function foldEvent(
  { id, messages, context }: Thread,
  { id: run_id }: Run,
  { by, keep = null }: CompactOptions,
): NewRequest['event'] {
  if (messages.length - foldedTo(context.compactions) < 2) throw runRefusals.nothingToFold(id)
  return plainEvent({ kind: 'compaction.requested', run_id, data: { by, keep } })
}

function dropEvent(thread: Thread, { id: run_id }: Run, { by, drop }: CompactOptions): NewRequest['event'] {
  const found = droppableParts(thread).find(each => each.message === drop?.message && each.part === drop.part)
  if (!found) throw runRefusals.notDroppable(thread.id)
  const { what, label } = found
  const data = { provider: EVERY_PROVIDER, because: 'dropped', what, label, why: `${by} dropped it`, by } as const
  return plainEvent({ kind: 'context.repaired', run_id, data })
}

import { A_NAME, A_TEXT, checkFields, orNothing, type Rules } from '../../core/given-fields.ts'
import { plainEvent } from '../../core/journal/event.ts'
import type { Thread } from '../../core/journal/thread.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import { foldedTo } from '../../core/run/context/compaction.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** A wish of a person: the conversation is folded into a summary before the model reads it again. */
export interface CompactOptions {
  readonly by: string
  /** What the summary keeps in particular. Default: left to the model. */
  readonly keep?: string | null
}

/** The wish is event `seq` of the thread. */
export interface CompactionAsked {
  readonly thread_id: string
  readonly seq: number
}

const OPTIONS: Rules<CompactOptions> = { by: A_NAME, keep: orNothing(A_TEXT) }

/** @throws RefusedError if nothing was said since the last one, or the thread moved on meanwhile */
export async function requestCompaction(
  runtime: Runtime,
  thread: Thread,
  options: CompactOptions,
): Promise<CompactionAsked> {
  const { by, keep = null } = checkFields('compact', options, OPTIONS)
  const { run, context, messages, seq } = thread
  if (run === null || messages.length - foldedTo(context.compactions) < 2) throw runRefusals.nothingToFold(thread.id)
  const requested = await runtime.store.request({
    run_id: run.id,
    event: plainEvent({ kind: 'compaction.requested', run_id: run.id, data: { by, keep } }),
    ...(run.termination && { after: seq }),
    withdraw: false,
    unlessWaiting: false,
  })
  if (requested?.outcome !== 'recorded') throw runRefusals.movedOnUnfolded(thread.id)
  return { thread_id: thread.id, seq: requested.events.at(-1)?.seq ?? seq }
}

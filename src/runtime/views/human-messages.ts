import type { Hold } from '../../core/hold/hold.ts'
import { type HumanMessage, humanThread } from '../../core/journal/human-thread.ts'
import { unknownThread } from '../../core/run/unknown-run.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** @throws RefusedError `unknown_session` */
export async function humanMessages({ store }: Runtime, threadId: string): Promise<HumanMessage[]> {
  const events = await store.journal(threadId)
  if (events.length === 0) throw unknownThread(threadId)
  const rows = new Map((await store.holds({ thread_id: threadId })).map((hold): [string, Hold] => [hold.id, hold]))
  // Holds in copied events were opened in the thread that they came from.
  const elsewhere = events.flatMap(({ kind, data }) =>
    kind === 'hold.opened' && !rows.has(data.hold_id) ? [data.hold_id] : [],
  )
  for (const hold of await Promise.all(elsewhere.map(id => store.hold(id)))) if (hold) rows.set(hold.id, hold)
  return humanThread(events, rows)
}

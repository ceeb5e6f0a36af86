/**
 * The feed has no steps and no tokens, and the journals have no order among one another. Together they do: each record
 * of an event brings the events of its thread since the record before it, so every event comes once, even if another
 * process wrote it.
 */
import type { AuditRecord } from '../../core/audit/audit.ts'
import { isRecorded } from '../../core/audit/event-on-record.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { Feed } from '../../ports/store/feed.ts'
import type { JournalStore } from '../../ports/store/journal.ts'

/** The records and the events of a store behind a place of its feed. */
export interface News {
  /** The place up to which it tells. */
  readonly to: number
  readonly records: readonly AuditRecord[]
  /** By thread, oldest first, without what a fork copied. */
  readonly events: ReadonlyMap<string, readonly JournalEvent[]>
}

export type NewsSource = Pick<Feed, 'feed'> & Pick<JournalStore, 'journal'>

const PAGE = 500
/** More events than a step has: mostly one read of a journal is enough. */
const LOOK_BACK = 64

/** One page of news; `null` if there are none. */
export async function readNews(store: NewsSource, after: number): Promise<News | null> {
  const page = await store.feed(after, PAGE)
  const to = page.at(-1)?.seq
  if (to === undefined) return null
  const records = page.flatMap(({ record }) => record ?? [])
  const events = new Map<string, readonly JournalEvent[]>()
  for (const [threadId, stretch] of stretchesOf(records)) events.set(threadId, await eventsOf(store, threadId, stretch))
  return { to, records, events }
}

/** The first and the last event of a thread that are on record in a page. */
interface Stretch {
  readonly first: number
  readonly last: number
}

function stretchesOf(records: readonly AuditRecord[]): ReadonlyMap<string, Stretch> {
  const stretches = new Map<string, Stretch>()
  for (const { thread_id, event_seq } of records) {
    if (thread_id === null || event_seq === null) continue
    const { first = event_seq, last = event_seq } = stretches.get(thread_id) ?? {}
    stretches.set(thread_id, { first: Math.min(first, event_seq), last: Math.max(last, event_seq) })
  }
  return stretches
}

async function eventsOf(
  store: NewsSource,
  threadId: string,
  { first, last }: Stretch,
): Promise<readonly JournalEvent[]> {
  for (let back = LOOK_BACK; ; back *= 8) {
    const after = Math.max(first - 1 - back, 0)
    const events = await store.journal(threadId, after, last - after)
    const before = events.findLastIndex(event => event.seq < first && isRecorded(event))
    if (before >= 0) return events.slice(before + 1)
    if (after === 0) return withoutCopy(events)
  }
}

/** A fork begins with a copy, which is written in one commit: all of it has one time. */
function withoutCopy(events: readonly JournalEvent[]): readonly JournalEvent[] {
  const [first] = events
  return first?.kind === 'thread.forked' ? events.filter(({ at }) => at !== first.at) : events
}

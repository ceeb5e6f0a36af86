import type { UnplacedRecord } from '../../../core/audit/event-records.ts'
import type { JournalEvent, NewEvent } from '../../../core/journal/event.ts'
import { inputIdOf } from '../../../core/journal/input.ts'
import type { Commit } from '../../../ports/store/journal.ts'
import { recordsAlone } from '../audit/record-events.ts'
import { type LockedThread, placeEvents } from '../tables/journal-table.ts'

/** The usual commit of a step: events in their places, and their records. Nothing else is read or written for them. */
export interface UsualAppend {
  readonly events: readonly JournalEvent[]
  readonly records: readonly UnplacedRecord[]
}

/** `null` for a commit that takes more. `at` is in milliseconds since 1970. @throws StoreError `thread_full` */
export function usualAppend(
  thread: Pick<LockedThread, 'id' | 'newest'>,
  { at, commit }: { readonly at: number; readonly commit: Commit },
): UsualAppend | null {
  if (!isEventsAlone(commit)) return null
  const events = placeEvents(thread, { at, events: commit.events })
  const records = recordsAlone(events)
  return records && { events, records }
}

function isEventsAlone({ events, opens = [], run, rest }: Commit): boolean {
  return opens.length === 0 && run === undefined && rest === undefined && events.length > 0 && events.every(isAlone)
}

function isAlone(event: NewEvent): boolean {
  return inputIdOf(event) === null && !(event.kind === 'call.gated' && event.data.grant_id !== null)
}

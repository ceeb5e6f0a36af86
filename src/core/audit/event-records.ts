/** P10: the records of new events and entries, before they have their places in the log. */
import type { JournalEvent } from '../journal/event.ts'
import { isoTime } from '../text/iso-time.ts'
import { type AuditRecord, auditEntry, entryOf, type NewAuditEntry } from './audit.ts'
import type { Sha256 } from './audit-chain.ts'
import type { AuditContext } from './decision-record.ts'

/** A record without its place. */
export type UnplacedRecord = Omit<AuditRecord, 'seq'>

/** The events at the start of a thread that happened elsewhere, and the parts of them that hold here too. */
export interface CopiedPart {
  /** The number of copied events, from the first. */
  readonly copied: number
  /** The holds that are open here. */
  readonly opens: readonly { readonly id: string }[]
  /** The run that goes on here; `null` if none does. */
  readonly goesOn: string | null
}

/** The value for events that all happened in this thread. */
export const NO_COPY: CopiedPart = { copied: 0, opens: [], goesOn: null }

/** The first events of a copy that go on record here as well. */
export function recordedOfCopy(events: readonly JournalEvent[], copy: CopiedPart): JournalEvent[] {
  const open = new Set(copy.opens.map(({ id }) => id))
  return events
    .slice(0, copy.copied)
    .filter(
      ({ kind, data, run_id }) =>
        (kind === 'hold.opened' && open.has(data.hold_id)) || (kind === 'run.started' && run_id === copy.goesOn),
    )
}

/** The records of these events, in their order. */
export function recordsOfEvents(
  events: readonly JournalEvent[],
  context: AuditContext,
  sha256: Sha256,
): UnplacedRecord[] {
  return events.flatMap(event => {
    const { at, kind, seq: event_seq } = event
    const entry = auditEntry(event, context)
    return entry ? [{ ...entry, at, kind, event_seq, event_hash: sha256(JSON.stringify(event.data)) }] : []
  })
}

/** The records of entries without an event. `at` is in milliseconds since 1970. */
export function recordsOfEntries(entries: readonly NewAuditEntry[], at: number): UnplacedRecord[] {
  const time = isoTime(at)
  return entries.map(entry => ({ at: time, kind: entry.kind, ...entryOf(entry), event_seq: null, event_hash: null }))
}

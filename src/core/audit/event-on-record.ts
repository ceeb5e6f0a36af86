/** P10: compares a recorded event with its record and with the row of its hold. */
import type { Hold } from '../hold/hold.ts'
import type { JournalEvent } from '../journal/event.ts'
import { canonicalJson, type Json } from '../text/json.ts'
import { type AuditRecord, auditEntry, type Entry, RECORDED_LATER } from './audit.ts'
import type { Sha256 } from './audit-chain.ts'

/** An event as a store keeps it. */
export interface StoredEvent {
  /** A number of the event that is unique in its store. */
  readonly place: number
  /** The event; `data` is `null` if the text is not JSON. */
  readonly event: JournalEvent
  /** The data as it is stored: the record's `event_hash` is over this very text. */
  readonly text: string
  /** Up to this `seq` the thread's events need no record: they were copied, or come from another store. */
  readonly audited_after: number
  /** The equivalent of `audited_after` for `RECORDED_LATER`. */
  readonly runs_audited_after: number
}

/** True if the event has a record by its own data. */
export function isRecorded(event: JournalEvent): boolean {
  return entryWithoutContext(event) !== null
}

export function mustBeOnRecord({ event, audited_after, runs_audited_after }: StoredEvent): boolean {
  const after = RECORDED_LATER.includes(event.kind) ? Math.max(audited_after, runs_audited_after) : audited_after
  return event.seq > after && isRecorded(event)
}

/**
 * The first field in which an event differs from its record; `null` if they fit. A record may have less than its event,
 * but nothing else.
 */
export function differingField(sha256: Sha256, { event, text }: StoredEvent, record: AuditRecord): string | null {
  if (sha256(text) !== record.event_hash) return 'content'
  const { data, ...subject } = { ...entryWithoutContext(event), at: event.at, kind: event.kind }
  return firstDifference(subject, { ...record }) ?? firstDifference(record.data, { ...data })
}

function entryWithoutContext(event: JournalEvent): Entry | null {
  try {
    return auditEntry(event, { opened: () => null, asked: () => null })
  } catch {
    // The data was made unreadable.
    return null
  }
}

/** These fields need the context, so they are not compared. */
const BY_CONTEXT: readonly string[] = ['override', 'edited', 'grant_digest']

function firstDifference(one: Readonly<Record<string, Json>>, other: Readonly<Record<string, Json>>): string | null {
  const keys = Object.keys(one).filter(key => Object.hasOwn(other, key) && !BY_CONTEXT.includes(key))
  return keys.find(key => canonicalJson(one[key] ?? null) !== canonicalJson(other[key] ?? null)) ?? null
}

/** True if the hold's row has another decision than the event that ended it. A row of another thread proves nothing. */
export function isMisstated(hold: Hold | null, { kind, data, thread_id }: JournalEvent): boolean {
  if (kind !== 'hold.decided' && kind !== 'hold.expired') return false
  if (hold === null || hold.id !== data.hold_id || hold.thread_id !== thread_id) return false
  return comparable(hold.decision) !== comparable(data.decision)
}

/** The text of a decision for comparison: older decisions have no `grant` field. */
function comparable(decision: object | null): string {
  return canonicalJson((decision && { grant: null, ...decision }) as Json)
}

/**
 * P10: the check of an audit log against itself, the journals, holds, grants and tokens. The store feeds it: all rows of the log in
 * order, then all events of `RECORDED_KINDS`, then the rows that were written meanwhile. Its memory is bounded, as what
 * grows with the log is in `AuditNotes`.
 */
import type { Hold } from '../../hold/hold.ts'
import type { EventKind } from '../../journal/event.ts'
import { type AuditRecord, isByItself } from '../audit.ts'
import {
  type AuditHead,
  type AuditRow,
  type AuditVerification,
  ChainReader,
  FaultList,
  type Sha256,
} from '../audit-chain.ts'
import { differingField, mustBeOnRecord, type StoredEvent } from '../event-on-record.ts'
import { type SealKey, SealReader } from '../record-seal.ts'
import { faultOfHold } from './hold-on-record.ts'
import { StandingCheck, type StandingRows } from './standing-on-record.ts'
import { type NamedRow, NOT_CHECKED, takeUnreadable, takeUnreadableEvent } from './unreadable-rows.ts'

/** A record of an event that its journal does not have. */
export interface GoneEvent {
  /** The `seq` of the record. */
  readonly seq: number
  readonly thread_id: string
  readonly event_seq: number
}

/** An event that was not on record when its journal was read. */
export interface UnrecordedEvent {
  readonly place: number
  readonly thread_id: string
  readonly event_seq: number
  readonly kind: EventKind
}

/** Facts to remember of a log that may be longer than memory: a store keeps them in a temporary file, for instance. */
export interface AuditNotes {
  /** The event at this place is on record. Returns false if that was noted before. */
  addSeen(place: number): boolean
  isSeen(place: number): boolean
  addGone(gone: GoneEvent): void
  /** In the order of `seq`. */
  gone(): Iterable<GoneEvent>
  /** Notes the record at `seq` that the thread was pruned. It replaces an earlier note. */
  setPruned(threadId: string, seq: number): void
  prunedAt(threadId: string): number | null
  addUnrecorded(event: UnrecordedEvent): void
  /** In the order of `place`. */
  unrecorded(): Iterable<UnrecordedEvent>
}

/** A record, and the `seq` of the row it was read from: in a forged row, the record may say another one. */
export interface ReadRecord {
  readonly seq: number
  readonly record: AuditRecord
}

/** The rows that belong to a record of an event, if the store has them. */
export interface RecordedRows {
  /** The event at the record's `thread_id` and `event_seq`. */
  readonly stored: StoredEvent | null
  /** The hold that the event names (`holdNamedBy`). */
  readonly hold: Hold | null
  /** True if the journal has an event by which that hold ended. Default: its row is believed. */
  readonly hasEnd?: boolean
  /** When the store looks at that hold again, in milliseconds since 1970; `null` for never. Default: its row is believed. */
  readonly wakesAt?: number | null
}

type RecordedEvent = GoneEvent & { readonly record: AuditRecord }

/** Reads an audit log record by record, in order, and collects the faults. */
export class AuditCheck {
  readonly #sha256: Sha256
  readonly #notes: AuditNotes
  readonly #faults: FaultList = new FaultList()
  readonly #chain: ChainReader
  readonly #seals: SealReader
  readonly #standing: StandingCheck
  #newestByItself = 0

  /** `noted` are heads that were kept: they must be in the log. Without a `key`, seals are counted alone. */
  constructor(
    sha256: Sha256,
    notes: AuditNotes,
    { noted, key }: { readonly noted: readonly AuditHead[]; readonly key: SealKey | null },
  ) {
    this.#sha256 = sha256
    this.#notes = notes
    this.#chain = new ChainReader(sha256, this.#faults, noted)
    this.#seals = new SealReader(key, this.#faults)
    this.#standing = new StandingCheck(sha256, this.#faults)
  }

  /** Checks the row's link in the chain. Its record, if it is one, is for `takeRecord`. */
  takeRow(row: AuditRow): ReadRecord | null {
    const record = this.#chain.take(row)
    if (record) this.#seals.take(row, record)
    return record && { seq: row.seq, record }
  }

  /** Checks a record against the rows that it follows from. */
  takeRecord({ seq, record }: ReadRecord, rows: RecordedRows): void {
    const { kind, event_seq } = record
    const thread_id = record.thread_id ?? ''
    if (isByItself(kind) !== (event_seq === null)) this.#addUnfounded(seq)
    else if (event_seq === null) this.#newestByItself = seq
    else if (rows.stored === null) this.#notes.addGone({ seq, thread_id, event_seq })
    else this.#compare({ seq, thread_id, event_seq, record }, rows.stored, rows)
    this.#standing.takeRecord(seq, record, rows.stored)
    if (kind === 'thread.pruned' && record.thread_id !== null) this.#notes.setPruned(thread_id, seq)
  }

  /** Names an event that cannot be read, and notes one that must be on record and was not seen there. */
  takeEvent(stored: StoredEvent): void {
    const { place, event } = stored
    if (this.#notes.isSeen(place)) return
    takeUnreadableEvent(this.#faults, event)
    if (!mustBeOnRecord(stored)) return
    this.#notes.addUnrecorded({ place, thread_id: event.thread_id, event_seq: event.seq, kind: event.kind })
  }

  /** Names a row that cannot be read, of a kind that is no part of `StandingRows`. */
  takeNamed(row: NamedRow): void {
    takeUnreadable(this.#faults, row)
  }

  /** Call it once, after the last row, with what the store had when that was the newest. */
  takeStanding(rows: StandingRows): void {
    this.#standing.takeRows(rows)
  }

  /** Call it after the last row. `noted` is the head that the store notes for records that follow from no event. */
  end(noted: AuditHead): AuditVerification {
    if (this.#newestByItself > noted.seq) this.#addUnfounded(this.#newestByItself)
    this.#addGone()
    this.#addUnrecorded()
    const not_checked = [...this.#seals.notChecked(), ...NOT_CHECKED]
    return { ...this.#chain.end(), ...this.#faults.found, not_checked }
  }

  #compare({ record, ...about }: RecordedEvent, stored: StoredEvent, rows: RecordedRows): void {
    const { seq } = about
    const event = `event ${about.event_seq} of thread ${about.thread_id}`
    if (!this.#notes.addSeen(stored.place))
      this.#faults.add('twice_on_record', `Record ${seq} is one more of ${event}.`, about)
    const field = differingField(this.#sha256, stored, record)
    if (field) {
      const message = `What is in the journal as ${event} has another ${field} than record ${seq}.`
      this.#faults.add('event_altered', message, about)
      return
    }
    const fault = faultOfHold(stored, { hasEnd: true, ...rows }, this.#sha256)
    if (fault) this.#faults.add(fault[0], `${fault[1]} ${event}.`, about)
  }

  #addUnfounded(seq: number): void {
    this.#faults.add('unfounded', `Record ${seq} follows from nothing that this store knows of.`, { seq })
  }

  /** If the thread was pruned after the record, its events are gone with good cause. */
  #addGone(): void {
    for (const { seq, thread_id, event_seq } of this.#notes.gone()) {
      if ((this.#notes.prunedAt(thread_id) ?? 0) > seq) continue
      const message = `Record ${seq} is of event ${event_seq} of thread ${thread_id}, which is not in its journal.`
      this.#faults.add('event_missing', message, { seq, thread_id, event_seq })
    }
  }

  /** An event that was written during the check may be on record since. */
  #addUnrecorded(): void {
    for (const { place, thread_id, event_seq, kind } of this.#notes.unrecorded()) {
      if (this.#notes.isSeen(place)) continue
      const message = `Event ${event_seq} of thread ${thread_id} (${kind}) is not on record.`
      this.#faults.add('not_on_record', message, { thread_id, event_seq })
    }
  }
}

import { type AuditRecord, auditEntry, type Entry, RECORDED_LATER } from '../../../core/audit/audit.ts'
import type { EventKind, JournalEvent } from '../../../core/journal/event.ts'
import { canonicalJson, type Json } from '../../../core/text/json.ts'
import type { Database } from '../database/database.ts'
import { SEQ_SPAN } from '../database/schema.ts'
import { sha256 } from '../tables/audit-table.ts'

/** An event, with the text that its record is bound to. */
export interface StoredEvent {
  readonly place: number
  readonly event: JournalEvent
  readonly text: string
  /** Up to this `seq` nothing of its kind must be on record: its thread is a copy, or older than such records. */
  readonly audited_after: number
}

const FIELDS = 't.id AS thread_id, t.audited_after, t.runs_audited_after, e.place, e.at, e.run_id, e.kind, e.data'

/** The journals, as the audit log is to fit them. */
export class AuditedJournals {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(threadId: string, seq: number): StoredEvent | null {
    const row = this.#database
      .statement(`SELECT ${FIELDS} FROM threads t JOIN events e ON e.place = t.number * ${SEQ_SPAN} + ? WHERE t.id = ?`)
      .get(seq, threadId)
    return row ? asStored(row) : null
  }

  /** Behind the place `after`, over all threads. */
  page(after: number, { kinds, limit }: { kinds: readonly EventKind[]; limit: number }): StoredEvent[] {
    return this.#database
      .statement(
        `SELECT ${FIELDS} FROM events e JOIN threads t ON t.number = e.place / ${SEQ_SPAN}
         WHERE e.place > ? AND e.kind IN (${kinds.map(kind => `'${kind}'`).join(', ')}) ORDER BY e.place LIMIT ?`,
      )
      .all(after, limit)
      .map(asStored)
  }

  mustBeOnRecord({ event, audited_after }: StoredEvent): boolean {
    return event.seq > audited_after && entryIn(event) !== null
  }

  /**
   * The difference between a record and its event; `null` if they fit. A record may say less than its event, but
   * nothing else.
   */
  difference({ event, text }: StoredEvent, record: AuditRecord): string | null {
    if (sha256(text) !== record.event_hash) return 'content'
    const said = { ...entryIn(event), at: event.at, kind: event.kind }
    const { data, ...subject } = said
    const other = firstOther(subject, { ...record }) ?? firstOther(record.data, { ...data })
    return other
  }
}

/** An event's record without its context, which is not compared. */
function entryIn(event: JournalEvent): Entry | null {
  try {
    return auditEntry(event, { opened: () => null, asked: () => null })
  } catch {
    // Its data was made unreadable.
    return null
  }
}

const BY_CONTEXT: readonly string[] = ['override', 'edited']

function firstOther(said: Readonly<Record<string, Json>>, other: Readonly<Record<string, Json>>): string | null {
  const keys = Object.keys(said).filter(key => Object.hasOwn(other, key) && !BY_CONTEXT.includes(key))
  return keys.find(key => canonicalJson(said[key] ?? null) !== canonicalJson(other[key] ?? null)) ?? null
}

function asStored(row: Readonly<Record<string, unknown>>): StoredEvent {
  const place = Number(row['place'])
  const text = String(row['data'])
  const event = {
    seq: place % SEQ_SPAN,
    at: new Date(Number(row['at'])).toISOString(),
    thread_id: String(row['thread_id']),
    run_id: String(row['run_id']),
    kind: String(row['kind']),
    data: dataIn(text),
  } as unknown as JournalEvent
  const columns = RECORDED_LATER.includes(event.kind) ? ['audited_after', 'runs_audited_after'] : ['audited_after']
  return { place, event, text, audited_after: Math.max(...columns.map(column => Number(row[column]))) }
}

function dataIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * P10: the audit log, written in the same transaction as what it records. It has no index, as each page more costs every
 * commit 4 KB: records are appended to the last page, and read in order.
 */
import { type AuditKind, auditEntry, type Entry, entryOf, type NewAuditEntry } from '../../../core/audit/audit.ts'
import { type AuditHead, type AuditRow, chainHash, EMPTY_CHAIN, recordText } from '../../../core/audit/audit-chain.ts'
import type { AuditContext } from '../../../core/audit/decision-record.ts'
import type { EventData, JournalEvent } from '../../../core/journal/event.ts'
import type { Json } from '../../../core/text/json.ts'
import type { Database } from '../database/database.ts'
import { SEQ_SPAN } from '../database/schema.ts'
import { findHold } from './hold-table.ts'
import type { ThreadPlace } from './journal-table.ts'

let crypto: typeof import('node:crypto') | undefined

/** Its module is loaded when first needed: that takes a third of the time in which a process opens a store. */
export function sha256(text: string): string {
  crypto ??= process.getBuiltinModule('node:crypto')
  return crypto.hash('sha256', text, 'hex')
}

interface NewRecord extends Entry {
  readonly at: string
  readonly kind: AuditKind
  readonly event_seq: number | null
  readonly event_hash: string | null
}

/** The part of what a thread begins with that happened elsewhere, and what of it is true here all the same. */
export interface CopiedPart {
  /** How many of the first events. */
  readonly copied: number
  /** The holds that are open here. */
  readonly opens: readonly { readonly id: string }[]
  /** The run that goes on here; `null` if none does. */
  readonly goesOn: string | null
}

const NO_COPY: CopiedPart = { copied: 0, opens: [], goesOn: null }

/** Inside a transaction: puts on record what these events, just written, say. */
export function auditEvents(
  database: Database,
  thread: ThreadPlace,
  events: readonly JournalEvent[],
  copy: CopiedPart = NO_COPY,
): void {
  const { copied } = copy
  const begun = copied === 0 ? [] : begunAmong(events.slice(0, copied), copy)
  const context = contextIn(database, thread)
  const records = [...begun, ...events.slice(copied)].flatMap(event => recordOf(event, context) ?? [])
  appendRecords(database, records)
  // `verify` does not ask for them: the events of a copy need no record.
  if (begun.length > 0) noteHead(database)
}

function begunAmong(events: readonly JournalEvent[], { opens, goesOn }: CopiedPart): JournalEvent[] {
  const open = new Set(opens.map(({ id }) => id))
  return events.filter(
    ({ kind, data, run_id }) =>
      (kind === 'hold.opened' && open.has(data.hold_id)) || (kind === 'run.started' && run_id === goesOn),
  )
}

function recordOf(event: JournalEvent, context: AuditContext): NewRecord | null {
  const { at, kind, seq: event_seq } = event
  const entry = auditEntry(event, context)
  return entry && { ...entry, at, kind, event_seq, event_hash: sha256(JSON.stringify(event.data)) }
}

/** Inside a transaction: puts on record what follows from no event. */
export function auditEntries(database: Database, entries: readonly NewAuditEntry[], at: number): void {
  if (entries.length === 0) return
  const time = new Date(at).toISOString()
  appendRecords(
    database,
    entries.map(entry => ({ at: time, kind: entry.kind, ...entryOf(entry), event_seq: null, event_hash: null })),
  )
  noteHead(database)
}

/** Behind `after`, at most `limit`, oldest first. */
export function readAudit(database: Database, after: number, limit: number): AuditRow[] {
  return database
    .statement('SELECT seq, record, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?')
    .all(after, limit)
    .map(asRow)
}

/** Before `before`, at most `limit`, newest first. */
export function readAuditBack(database: Database, before: number, limit: number): AuditRow[] {
  return database
    .statement('SELECT seq, record, hash FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?')
    .all(before, limit)
    .map(asRow)
}

function asRow(row: Readonly<Record<string, unknown>>): AuditRow {
  return { seq: Number(row['seq']), record: String(row['record']), hash: String(row['hash']) }
}

/** The newest record whose loss no journal would show; the empty chain if there is none. */
export function notedHead(database: Database): AuditHead {
  return asHead(database.statement('SELECT seq, hash FROM audit_head WHERE one = 1').get())
}

/** Facts for the record that an event does not carry itself. */
function contextIn(database: Database, thread: ThreadPlace): AuditContext {
  return {
    opened: holdId => openedIn(database, thread, holdId),
    asked: (holdId): Json => findHold(database, holdId)?.arguments ?? null,
    digest: text => `sha256:${sha256(text)}`,
  }
}

/** From the end backwards: a decision is mostly about a recent hold. */
function openedIn(database: Database, { number }: ThreadPlace, holdId: string): EventData['hold.opened'] | null {
  const row = database
    .statement(
      `SELECT data FROM events WHERE place > ? AND place < ? AND kind = 'hold.opened'
         AND json_extract(data, '$.hold_id') = ? ORDER BY place DESC LIMIT 1`,
    )
    .get(number * SEQ_SPAN, (number + 1) * SEQ_SPAN, holdId)
  return row ? (JSON.parse(String(row['data'])) as EventData['hold.opened']) : null
}

function appendRecords(database: Database, records: readonly NewRecord[]): void {
  if (records.length === 0) return
  const insert = database.statement('INSERT INTO audit (seq, record, hash) VALUES (?, ?, ?)')
  let head = newestHead(database)
  for (const record of records) {
    const seq = head.seq + 1
    const text = recordText({ seq, ...record })
    head = { seq, hash: chainHash(sha256, head.hash, text) }
    insert.run(seq, text, head.hash)
  }
}

function noteHead(database: Database): void {
  const { seq, hash: newest } = newestHead(database)
  database
    .statement(
      `INSERT INTO audit_head (one, seq, hash) VALUES (1, ?, ?)
       ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
    )
    .run(seq, newest)
}

export function newestHead(database: Database): AuditHead {
  return asHead(database.statement('SELECT seq, hash FROM audit WHERE seq > 0 ORDER BY seq DESC LIMIT 1').get())
}

function asHead(row: Readonly<Record<string, unknown>> | undefined): AuditHead {
  return row ? { seq: Number(row['seq']), hash: String(row['hash']) } : EMPTY_CHAIN
}

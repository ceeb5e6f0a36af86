/**
 * P10: the audit log, written in the same transaction as what it records. It has no index, as each page more costs every
 * commit 4 KB: records are appended to the last page, and read in order.
 */
import type { NewAuditEntry } from '../../../core/audit/audit.ts'
import { type AuditHead, type AuditRow, EMPTY_CHAIN } from '../../../core/audit/audit-chain.ts'
import type { AuditContext } from '../../../core/audit/decision-record.ts'
import {
  type CopiedPart,
  NO_COPY,
  recordedOfCopy,
  recordsOfEntries,
  recordsOfEvents,
  type UnplacedRecord,
} from '../../../core/audit/event-records.ts'
import { sealRecords } from '../../../core/audit/seal-records.ts'
import type { EventData, JournalEvent } from '../../../core/journal/event.ts'
import type { Json } from '../../../core/text/json.ts'
import { openedData } from '../../rows/event-row.ts'
import { sha256 } from '../../sha256.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import type { Database } from '../database/database.ts'
import { findHold } from './hold-table.ts'
import type { ThreadPlace } from './journal-table.ts'

/** Inside a transaction: puts on record what these events, just written, say. */
export function auditEvents(
  database: Database,
  thread: ThreadPlace,
  events: readonly JournalEvent[],
  copy: CopiedPart = NO_COPY,
): void {
  const begun = copy.copied === 0 ? [] : recordedOfCopy(events, copy)
  const recorded = [...begun, ...events.slice(copy.copied)]
  appendRecords(database, recordsOfEvents(recorded, contextIn(database, thread), sha256))
  // `verify` does not ask for them: the events of a copy need no record.
  if (begun.length > 0) noteHead(database)
}

/** Inside a transaction: puts on record what follows from no event. */
export function auditEntries(database: Database, entries: readonly NewAuditEntry[], at: number): void {
  if (entries.length === 0) return
  appendRecords(database, recordsOfEntries(entries, at))
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
         AND CASE WHEN json_valid(data) THEN json_extract(data, '$.hold_id') END = ? ORDER BY place DESC LIMIT 1`,
    )
    .get(number * SEQ_SPAN, (number + 1) * SEQ_SPAN, holdId)
  return row ? openedData(row, holdId) : null
}

function appendRecords(database: Database, records: readonly UnplacedRecord[]): void {
  if (records.length === 0) return
  const insert = database.statement('INSERT INTO audit (seq, record, hash) VALUES (?, ?, ?)')
  for (const { seq, record, hash } of sealRecords(sha256, newestHead(database), records)) insert.run(seq, record, hash)
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

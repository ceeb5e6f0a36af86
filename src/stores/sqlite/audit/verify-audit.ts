/**
 * P10: feeds `AuditCheck` page by page, so that memory and other work of the process do not suffer. New records are read
 * too: an event and its record become visible at once.
 */

import { setImmediate } from 'node:timers/promises'
import { RECORDED_KINDS } from '../../../core/audit/audit.ts'
import type { AuditHead, AuditVerification } from '../../../core/audit/audit-chain.ts'
import type { StoredEvent } from '../../../core/audit/event-on-record.ts'
import { AuditCheck, type ReadRecord, type RecordedRows } from '../../../core/audit/standing/audit-check.ts'
import { holdNamedBy } from '../../../core/audit/standing/hold-on-record.ts'
import type { AuditProgress } from '../../../ports/store/audit.ts'
import { CHECKED_ROWS, type CheckedRows, checkedPage } from '../../rows/checked-rows.ts'
import { sha256 } from '../../sha256.ts'
import type { Database } from '../database/database.ts'
import { storedTokens } from '../tables/access-table.ts'
import { notedHead, readAudit } from '../tables/audit-table.ts'
import { storedGrants } from '../tables/grant-table.ts'
import { findHold, wakesAt } from '../tables/hold-table.ts'
import { storedSessions } from '../tables/session-table.ts'
import { findStoredEvent, hasEndOf, listStoredEvents } from './audited-journals.ts'
import { ScratchNotes } from './scratch-notes.ts'

const PAGE = 500

/** `noted` are heads that were kept elsewhere. */
export async function verifyAudit(
  database: Database,
  noted: readonly AuditHead[],
  onProgress?: AuditProgress,
): Promise<AuditVerification> {
  using notes = await ScratchNotes.open()
  const head = await database.read(() => notedHead(database))
  const check = new AuditCheck(sha256, notes, [head, ...noted])
  // Nearly each record is that of an event, which is read too.
  let rows = 0
  const tell = (more: number) => {
    rows += more
    onProgress?.(rows, 2 * head.seq)
  }
  const log = new LogPages(database, check, notes)
  for (let read = await log.readNext(); read === PAGE; read = await log.readNext()) {
    tell(read)
    await setImmediate()
  }
  await readJournals(database, check, tell)
  for (const kind of CHECKED_ROWS) await readRows(database, check, kind)
  return database.snapshot(() => {
    while (log.readAtOnce() > 0);
    check.takeStanding({
      grants: storedGrants(database),
      tokens: storedTokens(database),
      sessions: storedSessions(database),
      threadOf: ({ hold_id }) => findHold(database, hold_id)?.thread_id ?? null,
    })
    return check.end(notedHead(database))
  })
}

/** The log, from the last position read to the end. */
class LogPages {
  readonly #database: Database
  readonly #check: AuditCheck
  readonly #notes: ScratchNotes
  #after = 0

  constructor(database: Database, check: AuditCheck, notes: ScratchNotes) {
    this.#database = database
    this.#check = check
    this.#notes = notes
  }

  /** One page. Resolves to how many rows it had. */
  readNext(): Promise<number> {
    return this.#database.read(() => this.readAtOnce())
  }

  /** Inside a read of the database. */
  readAtOnce(): number {
    return this.#notes.transaction(() => {
      const rows = readAudit(this.#database, this.#after, PAGE)
      for (const row of rows) {
        const read = this.#check.takeRow(row)
        if (read) this.#check.takeRecord(read, rowsOf(this.#database, read))
      }
      this.#after = rows.at(-1)?.seq ?? this.#after
      return rows.length
    })
  }
}

function rowsOf(database: Database, { record: { thread_id, event_seq } }: ReadRecord): RecordedRows {
  const stored = event_seq === null ? null : findStoredEvent(database, thread_id ?? '', event_seq)
  const holdId = stored && holdNamedBy(stored.event)
  if (stored === null || holdId === null) return { stored, hold: null }
  const hold = findHold(database, holdId)
  const mustEnd = stored.event.kind === 'hold.opened' && hold !== null && hold.status !== 'open'
  const hasEnd = !mustEnd || hasEndOf(database, holdId, stored.place)
  return hold === null ? { stored, hold, hasEnd } : { stored, hold, hasEnd, wakesAt: wakesAt(database, holdId) }
}

/** Those that can be read are compared elsewhere, or with nothing. */
async function readRows(database: Database, check: AuditCheck, kind: CheckedRows): Promise<void> {
  const page = database.statement(checkedPage(kind, '?', '?').replaceAll('@', ''))
  for (let after = Number.MIN_SAFE_INTEGER, isMore = true; isMore; ) {
    const rows = await database.read(() => page.all(after, PAGE))
    for (const row of rows) check.takeNamed({ what: kind.what, row: kind.read(row) })
    after = Number(rows.at(-1)?.['checked_number'])
    isMore = rows.length === PAGE
    if (isMore) await setImmediate()
  }
}

async function readJournals(database: Database, check: AuditCheck, tell: (rows: number) => void): Promise<void> {
  for (let after = 0, page: readonly StoredEvent[]; ; ) {
    page = await database.read(() => listStoredEvents(database, { after, limit: PAGE }))
    for (const stored of page) check.takeEvent(stored)
    if (page.length < PAGE) return
    tell(page.filter(({ event }) => RECORDED_KINDS.includes(event.kind)).length)
    after = page.at(-1)?.place ?? after
    await setImmediate()
  }
}

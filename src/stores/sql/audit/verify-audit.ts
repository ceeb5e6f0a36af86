/**
 * P10: feeds `AuditCheck` page by page, each page in a snapshot of its own: neither memory, nor the cleaning of the database,
 * nor other work of the process suffers. Keeps: what it compares at the end, it reads in one snapshot. There each row has
 * its record, with its place or without one yet.
 */
import { setImmediate } from 'node:timers/promises'
import { RECORDED_KINDS } from '../../../core/audit/audit.ts'
import type { AuditHead, AuditRow, AuditVerification } from '../../../core/audit/audit-chain.ts'
import { readableRecord } from '../../../core/audit/audit-query.ts'
import { AuditCheck, type ReadRecord, type RecordedRows } from '../../../core/audit/standing/audit-check.ts'
import type { StandingRows } from '../../../core/audit/standing/standing-on-record.ts'
import type { AuditProgress } from '../../../ports/store/audit.ts'
import { CHECKED_ROWS, type CheckedRows, checkedPage } from '../../rows/checked-rows.ts'
import { sha256 } from '../../sha256.ts'
import type { Dialect } from '../driver/dialect.ts'
import type { SqlDriver } from '../driver/driver.ts'
import { all, first, type Work } from '../driver/work.ts'
import { storedTokens } from '../people/sql-access.ts'
import { storedSessions } from '../people/sql-sessions.ts'
import { storedGrants } from '../tables/grant-table.ts'
import { asHead, readAudit } from './audit-rows.ts'
import { eventPlace, FIRST_PLACE, listStoredEvents, readRecordedRows } from './audited-journals.ts'
import { readPending } from './grant-fault.ts'
import { sealIfAllowed } from './seal-if-allowed.ts'

const PAGE = 500

/** `noted` are heads that were kept elsewhere. */
export async function verifyAudit(
  driver: SqlDriver,
  noted: readonly AuditHead[],
  onProgress?: AuditProgress,
): Promise<AuditVerification> {
  const { ScratchNotes } = await import('../../sqlite/audit/scratch-notes.ts')
  using notes = await ScratchNotes.open()
  await sealIfAllowed(driver)
  const head = await driver.read(() => readNoted(driver.dialect))
  const check = new AuditCheck(sha256, notes, { noted: [head, ...noted], key: driver.sealKey })
  // Nearly each record is that of an event, which is read too.
  let rows = 0
  const tell = (more: number) => {
    rows += more
    onProgress?.(rows, 2 * head.seq)
  }
  const take = (page: LogPage) => notes.transaction(() => takePage(check, page))
  const after = await readLog(driver, { after: 0, take, tell })
  await readJournals(driver, check, tell)
  for (const kind of CHECKED_ROWS) await readRows(driver, check, kind)
  // So that little is left for the last snapshot.
  await sealIfAllowed(driver)
  const last = await readLog(driver, { after, take, tell: () => {} })
  const end = await driver.snapshot(({ dialect }) => readEnd(dialect, last))
  for (const page of end.pages) take(page)
  for (const { read, rows } of end.pending) check.takeRecord(read, rows)
  check.takeStanding(end.standing)
  return check.end({ ...end.head, seq: end.head.seq + end.pending.length })
}

/** The newest record whose loss no journal would show; of PostgreSQL the newest of all that have a place. */
function* readNoted({ noted }: Dialect): Work<AuditHead> {
  return asHead(yield* first(noted))
}

interface FollowedRecord {
  readonly read: ReadRecord
  readonly rows: RecordedRows
}

/** Rows of the log, and what those of them that can be read follow from. */
interface LogPage {
  readonly rows: readonly AuditRow[]
  readonly follows: ReadonlyMap<number, RecordedRows>
}

function takePage(check: AuditCheck, { rows, follows }: LogPage): void {
  for (const row of rows) {
    const read = check.takeRow(row)
    const followed = follows.get(row.seq)
    if (read && followed) check.takeRecord(read, followed)
  }
}

function* readPage(dialect: Dialect, after: number): Work<LogPage> {
  const rows = yield* readAudit(after, PAGE)
  const records = rows.flatMap(row => {
    const record = readableRecord(row)
    return record ? [{ seq: row.seq, record }] : []
  })
  const followed = yield* followRecords(dialect, records)
  return { rows, follows: new Map(followed.map(({ read, rows }) => [read.seq, rows])) }
}

function* followRecords(dialect: Dialect, records: readonly ReadRecord[]): Work<FollowedRecord[]> {
  const rows = yield* readRecordedRows(dialect, records)
  return records.map((read, n) => ({ read, rows: rows[n] as RecordedRows }))
}

interface LogReading {
  readonly after: number
  readonly take: (page: LogPage) => void
  readonly tell: (rows: number) => void
}

/** Resolves to the last `seq` that was read. */
async function readLog(driver: SqlDriver, { after, take, tell }: LogReading): Promise<number> {
  for (let last = after; ; ) {
    const page = await driver.snapshot(({ dialect }) => readPage(dialect, last))
    take(page)
    tell(page.rows.length)
    last = page.rows.at(-1)?.seq ?? last
    if (page.rows.length < PAGE) return last
    await setImmediate()
  }
}

async function readJournals(driver: SqlDriver, check: AuditCheck, tell: (rows: number) => void): Promise<void> {
  for (let after = FIRST_PLACE; ; ) {
    const page = await driver.read(() => listStoredEvents(driver.dialect, after, PAGE))
    for (const stored of page) check.takeEvent(stored)
    tell(page.filter(({ event }) => RECORDED_KINDS.includes(event.kind)).length)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = eventPlace(last)
    await setImmediate()
  }
}

/** Readable rows are compared elsewhere, or with nothing. */
async function readRows(driver: SqlDriver, check: AuditCheck, kind: CheckedRows): Promise<void> {
  const page = checkedPage(kind)
  for (let after = Number.MIN_SAFE_INTEGER, isMore = true; isMore; ) {
    const rows = await driver.read(() => all(page, [after, PAGE]))
    for (const row of rows) check.takeNamed({ what: kind.what, row: kind.read(row) })
    after = Number(rows.at(-1)?.['checked_number'])
    isMore = rows.length === PAGE
    if (isMore) await setImmediate()
  }
}

interface LogEnd {
  readonly pages: readonly LogPage[]
  /** Records without a place yet, with the places that they will get. */
  readonly pending: readonly FollowedRecord[]
  readonly standing: StandingRows
  readonly head: AuditHead
}

function* readEnd(dialect: Dialect, after: number): Work<LogEnd> {
  const pages: LogPage[] = []
  for (let last = after, size = PAGE; size === PAGE; ) {
    const page = yield* readPage(dialect, last)
    pages.push(page)
    size = page.rows.length
    last = page.rows.at(-1)?.seq ?? last
  }
  const head = yield* readNoted(dialect)
  const pending = yield* followRecords(dialect, yield* readPending(dialect, head))
  return { pages, pending, standing: yield* readStanding(), head }
}

function* readStanding(): Work<StandingRows> {
  const grants = yield* storedGrants()
  const holds = grants.map(({ hold_id }) => hold_id)
  const rows = yield* all('SELECT id, thread_id FROM @holds WHERE id = ANY(?::text[])', [holds])
  const threads = new Map(rows.map(row => [String(row['id']), String(row['thread_id'])]))
  return {
    grants,
    tokens: yield* storedTokens(),
    sessions: yield* storedSessions(),
    threadOf: ({ hold_id }) => threads.get(hold_id) ?? null,
  }
}

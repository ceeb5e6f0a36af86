/**
 * P10: feeds `AuditCheck` page by page, each page in a snapshot of its own: neither memory nor the cleaning of the database
 * suffers. Keeps: what it compares at the end, it reads in one snapshot. There each row has its record, as one that is
 * sealed or as one that is pending.
 */
import { RECORDED_KINDS } from '../../../core/audit/audit.ts'
import type { AuditHead, AuditRow, AuditVerification } from '../../../core/audit/audit-chain.ts'
import { readableRecord } from '../../../core/audit/audit-query.ts'
import { AuditCheck, type ReadRecord, type RecordedRows } from '../../../core/audit/standing/audit-check.ts'
import type { StandingRows } from '../../../core/audit/standing/standing-on-record.ts'
import type { AuditProgress } from '../../../ports/store/audit.ts'
import { CHECKED_ROWS, type CheckedRows, checkedPage } from '../../rows/checked-rows.ts'
import { sha256 } from '../../sha256.ts'
import { ScratchNotes } from '../../sqlite/audit/scratch-notes.ts'
import { readAudit } from '../audit/query-audit.ts'
import { readHead, readPending, sealIfAllowed } from '../audit/seal-audit.ts'
import type { Pool, Query } from '../database/pool.ts'
import { storedTokens } from '../people/postgres-access.ts'
import { storedSessions } from '../people/postgres-sessions.ts'
import { storedGrants } from '../tables/grant-table.ts'
import { eventPlace, FIRST_PLACE, listStoredEvents, readRecordedRows } from './audited-journals.ts'

const PAGE = 500

/** `noted` are heads that were kept elsewhere. */
export async function verifyAudit(
  pool: Pool,
  noted: readonly AuditHead[],
  onProgress?: AuditProgress,
): Promise<AuditVerification> {
  using notes = await ScratchNotes.open()
  await sealIfAllowed(pool)
  const head = await readHead(pool.query)
  const check = new AuditCheck(sha256, notes, [head, ...noted])
  // Nearly each record is that of an event, which is read too.
  let rows = 0
  const tell = (more: number) => {
    rows += more
    onProgress?.(rows, 2 * head.seq)
  }
  const take = (page: LogPage) => notes.transaction(() => takePage(check, page))
  const after = await readLog(pool, { after: 0, take, tell })
  await readJournals(pool.query, check, tell)
  for (const kind of CHECKED_ROWS) await readRows(pool.query, check, kind)
  // So that little is left for the last snapshot.
  await sealIfAllowed(pool)
  const end = await readEnd(pool, await readLog(pool, { after, take, tell: () => {} }))
  for (const page of end.pages) take(page)
  for (const { read, rows } of end.pending) check.takeRecord(read, rows)
  check.takeStanding(end.standing)
  return check.end({ ...end.head, seq: end.head.seq + end.pending.length })
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

async function readPage(query: Query, after: number): Promise<LogPage> {
  const rows = await readAudit(query, after, PAGE)
  const followed = await followRecords(
    query,
    rows.flatMap(row => {
      const record = readableRecord(row)
      return record ? [{ seq: row.seq, record }] : []
    }),
  )
  return { rows, follows: new Map(followed.map(({ read, rows }) => [read.seq, rows])) }
}

async function followRecords(query: Query, records: readonly ReadRecord[]): Promise<FollowedRecord[]> {
  const rows = await readRecordedRows(query, records)
  return records.map((read, n) => ({ read, rows: rows[n] as RecordedRows }))
}

interface LogReading {
  readonly after: number
  readonly take: (page: LogPage) => void
  readonly tell: (rows: number) => void
}

/** Resolves to the last `seq` that was read. */
async function readLog(pool: Pool, { after, take, tell }: LogReading): Promise<number> {
  for (let last = after; ; ) {
    const page = await pool.snapshot(({ query }) => readPage(query, last))
    take(page)
    tell(page.rows.length)
    last = page.rows.at(-1)?.seq ?? last
    if (page.rows.length < PAGE) return last
  }
}

async function readJournals(query: Query, check: AuditCheck, tell: (rows: number) => void): Promise<void> {
  for (let after = FIRST_PLACE; ; ) {
    const page = await listStoredEvents(query, { after, limit: PAGE })
    for (const stored of page) check.takeEvent(stored)
    tell(page.filter(({ event }) => RECORDED_KINDS.includes(event.kind)).length)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = eventPlace(last)
  }
}

/** Those that can be read are compared elsewhere, or with nothing. */
async function readRows(query: Query, check: AuditCheck, kind: CheckedRows): Promise<void> {
  const page = checkedPage(kind, '$1', '$2')
  for (let after = Number.MIN_SAFE_INTEGER, isMore = true; isMore; ) {
    const { rows } = await query(page, [after, PAGE])
    for (const row of rows) check.takeNamed({ what: kind.what, row: kind.read(row) })
    after = Number(rows.at(-1)?.['checked_number'])
    isMore = rows.length === PAGE
  }
}

interface LogEnd {
  readonly pages: readonly LogPage[]
  /** Records that are not sealed yet, with the places that they will get. */
  readonly pending: readonly FollowedRecord[]
  readonly standing: StandingRows
  readonly head: AuditHead
}

function readEnd(pool: Pool, after: number): Promise<LogEnd> {
  return pool.snapshot(async ({ query }) => {
    const pages: LogPage[] = []
    for (let last = after, size = PAGE; size === PAGE; ) {
      const page = await readPage(query, last)
      pages.push(page)
      size = page.rows.length
      last = page.rows.at(-1)?.seq ?? last
    }
    const head = await readHead(query)
    const pending = await followRecords(query, await readPending(query, head))
    return { pages, pending, standing: await readStanding(query), head }
  })
}

async function readStanding(query: Query): Promise<StandingRows> {
  const grants = await storedGrants(query)
  const holds = grants.map(({ hold_id }) => hold_id)
  const { rows } = await query('SELECT id, thread_id FROM @holds WHERE id = ANY($1::text[])', [holds])
  const threads = new Map(rows.map(row => [String(row['id']), String(row['thread_id'])]))
  return {
    grants,
    tokens: await storedTokens(query),
    sessions: await storedSessions(query),
    threadOf: ({ hold_id }) => threads.get(hold_id) ?? null,
  }
}

import type { AuditHead, AuditRow, AuditVerification } from '../../core/audit/audit-chain.ts'
import type { HostName } from '../../core/fleet/fleet-host.ts'
import type { Grant } from '../../core/hold/grant.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { AuditProgress, AuditQuery } from '../../ports/store/audit.ts'
import type { Cursor, FeedEntry } from '../../ports/store/feed.ts'
import type { StoreFigures } from '../../ports/store/figures.ts'
import type { GrantQuery } from '../../ports/store/grants.ts'
import type { HoldQuery } from '../../ports/store/holds.ts'
import type { Growth } from '../../ports/store/journal.ts'
import type { RunQueueQuery } from '../../ports/store/run-queue.ts'
import type { RunQuery, RunRow } from '../../ports/store/runs.ts'
import type { SearchPage, SearchQuery } from '../../ports/store/search.ts'
import { movedBy } from '../copy/copy-mark.ts'
import type { StoreError } from '../store-error.ts'
import { PostgresCursor, readFeed } from './audit/feed-cursors.ts'
import { queryAudit } from './audit/query-audit.ts'
import { readHead, sealIfAllowed } from './audit/seal-audit.ts'
import { Sealer } from './audit/sealer.ts'
import { Changes } from './changes/changes.ts'
import { markIn } from './copy/copied-rows.ts'
import type { Pool } from './database/pool.ts'
import { TIME } from './database/statements.ts'
import { searchEvents } from './search/search-events.ts'
import { readFigures } from './tables/figures.ts'
import { findGrant, listGrants } from './tables/grant-table.ts'
import { findHold, listDueHolds, listHolds, nextWakeTime } from './tables/hold-table.ts'
import { findInput, newestSeqs, readEvents } from './tables/journal-table.ts'
import { findRun, listLeased, listReady, listRuns } from './tables/run-table.ts'
import { grantFault } from './verify/grant-fault.ts'
import { verifyAudit } from './verify/verify-audit.ts'

/** The queries of the store. None of them writes. */
export abstract class PostgresQueries {
  protected readonly pool: Pool
  protected readonly changes: Changes
  protected readonly sealer: Sealer
  /** The machine of this process. */
  protected readonly host: HostName

  constructor(pool: Pool, host: HostName) {
    this.pool = pool
    this.host = host
    this.sealer = new Sealer(pool)
    this.changes = new Changes(pool, () => this.sealer.soon())
  }

  async now(): Promise<number> {
    const { time, query } = this.pool
    return time.known ?? time.hear((await query(`SELECT ${TIME}`)).rows[0]?.['now'])
  }

  async journal(threadId: string, after = 0, limit?: number): Promise<JournalEvent[]> {
    return readEvents(this.pool.query, threadId, { after, limit: limit ?? null })
  }

  async newest(threadIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return newestSeqs(this.pool.query, threadIds)
  }

  async findInput(threadId: string, inputId: string): Promise<number | null> {
    return findInput(this.pool.query, threadId, inputId)
  }

  async run(id: string): Promise<RunRow | null> {
    return findRun(this.pool.query, id)
  }

  async runs(query: RunQuery): Promise<RunRow[]> {
    return listRuns(this.pool.query, query)
  }

  async readyRuns(query: RunQueueQuery): Promise<RunRow[]> {
    return listReady(this.pool.query, query, this.host.id)
  }

  async leasedRuns(query: RunQueueQuery): Promise<RunRow[]> {
    return listLeased(this.pool.query, query)
  }

  async hold(id: string): Promise<Hold | null> {
    return findHold(this.pool.query, id)
  }

  async holds(query: HoldQuery): Promise<Hold[]> {
    return listHolds(this.pool.query, query)
  }

  async dueHolds(at: string, limit: number): Promise<Hold[]> {
    return listDueHolds(this.pool.query, Date.parse(at), limit)
  }

  async nextDue(after?: string): Promise<string | null> {
    const next = await nextWakeTime(this.pool.query, after === undefined ? 0 : Date.parse(after))
    return next === null ? null : isoTime(next)
  }

  async secret(): Promise<string> {
    return String((await this.pool.query('SELECT value FROM @secret')).rows[0]?.['value'])
  }

  async moved(): Promise<StoreError | null> {
    return movedBy(await markIn(this.pool.query), this.pool.display)
  }

  watch(onChange: (change: Growth | null) => void): Disposable {
    return this.changes.watch(onChange)
  }

  async grant(id: string): Promise<Grant | null> {
    return findGrant(this.pool.query, id)
  }

  async grants(query: GrantQuery): Promise<Grant[]> {
    return listGrants(this.pool.query, query)
  }

  async grantFault(id: string): Promise<string | null> {
    return grantFault(this.pool, id)
  }

  async audit(query: AuditQuery): Promise<AuditRow[]> {
    return queryAudit(this.pool, query)
  }

  async auditHead(): Promise<AuditHead> {
    await sealIfAllowed(this.pool)
    return readHead(this.pool.query)
  }

  async verifyAudit(noted: readonly AuditHead[] = [], onProgress?: AuditProgress): Promise<AuditVerification> {
    return verifyAudit(this.pool, noted, onProgress)
  }

  async feed(after: number, limit: number): Promise<FeedEntry[]> {
    return readFeed(this.pool, after, limit)
  }

  cursor(name: string): Cursor {
    return new PostgresCursor(this.pool, name)
  }

  watchFeed(onChange: () => void): Disposable {
    return this.changes.watchAll(onChange)
  }

  async figures(at: string): Promise<StoreFigures> {
    await sealIfAllowed(this.pool)
    return this.pool.snapshot(({ query }) => readFigures(query, Date.parse(at)))
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    return searchEvents(this.pool.query, query)
  }
}

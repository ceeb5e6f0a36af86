import type { AuditHead, AuditRow, AuditVerification } from '../../core/audit/audit-chain.ts'
import type { Grant } from '../../core/hold/grant.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { AuditProgress, AuditQuery } from '../../ports/store/audit.ts'
import type { Cursor, FeedEntry } from '../../ports/store/feed.ts'
import type { StoreFigures } from '../../ports/store/figures.ts'
import type { GrantQuery } from '../../ports/store/grants.ts'
import type { HoldQuery } from '../../ports/store/holds.ts'
import type { Growth } from '../../ports/store/journal.ts'
import type { RunQueueQuery } from '../../ports/store/run-queue.ts'
import type { RunQuery, RunRow } from '../../ports/store/runs.ts'
import type { SearchPage, SearchQuery } from '../../ports/store/search.ts'
import { ChangeWatch } from '../change-watch.ts'
import { movedBy } from '../copy/copy-mark.ts'
import type { StoreError } from '../store-error.ts'
import { grantFault } from './audit/grant-fault.ts'
import { queryAudit } from './audit/query-audit.ts'
import { verifyAudit } from './audit/verify-audit.ts'
import { markIn } from './copy/copied-rows.ts'
import type { Database } from './database/database.ts'
import { OutsideWatch } from './database/outside-watch.ts'
import { searchEvents } from './search/search-events.ts'
import { newestHead } from './tables/audit-table.ts'
import { readFeed, SqliteCursor } from './tables/feed-cursors.ts'
import { readFigures } from './tables/figures.ts'
import { findGrant, listGrants } from './tables/grant-table.ts'
import { findHold, listDueHolds, listHolds, nextWakeTime } from './tables/hold-table.ts'
import { findInput } from './tables/input-table.ts'
import { findThread, newestSeqs, readEvents } from './tables/journal-table.ts'
import { findRun, listLeased, listReady, listRuns } from './tables/run-table.ts'

/** The queries of the store. None of them writes. */
export abstract class SqliteQueries {
  protected readonly database: Database
  protected readonly changes: ChangeWatch

  constructor(database: Database) {
    this.database = database
    const isShared = database.path !== ':memory:'
    this.changes = new ChangeWatch(isShared ? onChange => new OutsideWatch(database, onChange) : null)
  }

  async dueHolds(at: string, limit: number): Promise<Hold[]> {
    return this.database.read(() => listDueHolds(this.database, Date.parse(at), limit))
  }

  async nextDue(after?: string): Promise<string | null> {
    return this.database.read(() => {
      const next = nextWakeTime(this.database, after === undefined ? 0 : Date.parse(after))
      return next === null ? null : new Date(next).toISOString()
    })
  }

  async grant(id: string): Promise<Grant | null> {
    return this.database.read(() => findGrant(this.database, id))
  }

  async grants(query: GrantQuery): Promise<Grant[]> {
    return this.database.read(() => listGrants(this.database, query))
  }

  async grantFault(id: string): Promise<string | null> {
    return grantFault(this.database, id)
  }

  async journal(threadId: string, after = 0, limit?: number): Promise<JournalEvent[]> {
    return this.database.read(() => {
      const thread = findThread(this.database, threadId)
      return thread ? readEvents(this.database, thread, after, limit) : []
    })
  }

  async run(id: string): Promise<RunRow | null> {
    return this.database.read(() => findRun(this.database, id)?.row ?? null)
  }

  async runs(query: RunQuery): Promise<RunRow[]> {
    return this.database.read(() => listRuns(this.database, query))
  }

  async hold(id: string): Promise<Hold | null> {
    return this.database.read(() => findHold(this.database, id))
  }

  async holds(query: HoldQuery): Promise<Hold[]> {
    return this.database.read(() => listHolds(this.database, query))
  }

  async audit(query: AuditQuery): Promise<AuditRow[]> {
    return queryAudit(this.database, query)
  }

  async auditHead(): Promise<AuditHead> {
    return this.database.read(() => newestHead(this.database))
  }

  async feed(after: number, limit: number): Promise<FeedEntry[]> {
    return this.database.read(() => readFeed(this.database, after, limit))
  }

  cursor(name: string): Cursor {
    return new SqliteCursor(this.database, name)
  }

  watchFeed(onChange: () => void): Disposable {
    return this.changes.watchAll(onChange)
  }

  async figures(at: string): Promise<StoreFigures> {
    return this.database.snapshot(() => readFigures(this.database, Date.parse(at)))
  }

  async verifyAudit(noted: readonly AuditHead[] = [], onProgress?: AuditProgress): Promise<AuditVerification> {
    return verifyAudit(this.database, noted, onProgress)
  }

  watch(onChange: (change: Growth | null) => void): Disposable {
    return this.changes.watch(onChange)
  }

  async secret(): Promise<string> {
    return this.database.read(() => String(this.database.statement('SELECT value FROM secret').get()?.['value']))
  }

  async moved(): Promise<StoreError | null> {
    return this.database.read(() => movedBy(markIn(this.database), `sqlite:${this.database.path}`))
  }

  async newest(threadIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.database.read(() => newestSeqs(this.database, threadIds))
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    return searchEvents(this.database, query)
  }

  async findInput(threadId: string, inputId: string): Promise<number | null> {
    return this.database.read(() => {
      const thread = findThread(this.database, threadId)
      return thread && findInput(this.database, thread, inputId)
    })
  }

  async readyRuns(query: RunQueueQuery): Promise<RunRow[]> {
    return this.database.read(() => listReady(this.database, query))
  }

  async leasedRuns(query: RunQueueQuery): Promise<RunRow[]> {
    return this.database.read(() => listLeased(this.database, query))
  }
}

import type { AuditHead, AuditRow, AuditVerification } from '../../core/audit/audit-chain.ts'
import type { KeptFold } from '../../core/folds/kept-fold.ts'
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
import { movedBy, readMark } from '../copy/copy-mark.ts'
import { isoTimeOrNull } from '../rows/iso-times.ts'
import type { StoreError } from '../store-error.ts'
import { readHead } from './audit/audit-rows.ts'
import { FeedCursor, readFeed } from './audit/feed-cursor.ts'
import { grantFault } from './audit/grant-fault.ts'
import { queryAudit } from './audit/query-audit.ts'
import { sealIfAllowed } from './audit/seal-if-allowed.ts'
import { verifyAudit } from './audit/verify-audit.ts'
import type { Dialect } from './driver/dialect.ts'
import type { SqlDeps } from './driver/driver.ts'
import { first, type Work } from './driver/work.ts'
import { readFigures } from './figures.ts'
import { searchEvents } from './search-events.ts'
import { readFold } from './tables/fold-table.ts'
import { findGrant, listGrants } from './tables/grant-table.ts'
import { findHold, listDueHolds, listHolds, nextWakeTime } from './tables/hold-table.ts'
import { findInput, newestSeqs, readEvents } from './tables/journal-table.ts'
import { findRun, listLeased, listReady, listRuns, nextRetryTime } from './tables/run-table.ts'

/** The queries of the store. None of them writes. */
export abstract class SqlQueries {
  protected readonly deps: SqlDeps
  protected readonly dialect: Dialect

  constructor(deps: SqlDeps) {
    this.deps = deps
    this.dialect = deps.driver.dialect
  }

  #read<T>(work: () => Work<T>): Promise<T> {
    return this.deps.driver.read(work)
  }

  async now(): Promise<number> {
    return this.deps.driver.now()
  }

  async journal(threadId: string, after = 0, limit?: number): Promise<JournalEvent[]> {
    return this.#read(() => readEvents(this.dialect, threadId, { after, limit }))
  }

  async keptFold(threadId: string): Promise<KeptFold | null> {
    return this.#read(() => readFold(threadId))
  }

  async newest(threadIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#read(() => newestSeqs(this.dialect, threadIds))
  }

  async findInput(threadId: string, inputId: string): Promise<number | null> {
    return this.#read(() => findInput(threadId, inputId))
  }

  async run(id: string): Promise<RunRow | null> {
    return this.#read(() => findRun(id))
  }

  async runs(query: RunQuery): Promise<RunRow[]> {
    return this.#read(() => listRuns(query))
  }

  async readyRuns(query: RunQueueQuery): Promise<RunRow[]> {
    const now = await this.now()
    return this.#read(() => listReady(query, { now, host: this.deps.host?.id }))
  }

  async leasedRuns(query: RunQueueQuery): Promise<RunRow[]> {
    return this.#read(() => listLeased(query))
  }

  async hold(id: string): Promise<Hold | null> {
    return this.#read(() => findHold(id))
  }

  async holds(query: HoldQuery): Promise<Hold[]> {
    return this.#read(() => listHolds(this.dialect, query))
  }

  async dueHolds(at: string, limit: number): Promise<Hold[]> {
    return this.#read(() => listDueHolds(Date.parse(at), limit))
  }

  async nextDue(after?: string): Promise<string | null> {
    const now = await this.now()
    return isoTimeOrNull(await this.#read(() => nextTime(after === undefined ? 0 : Date.parse(after), now)))
  }

  async secret(): Promise<string> {
    return String((await this.#read(() => first('SELECT value FROM @secret')))?.['value'])
  }

  async moved(): Promise<StoreError | null> {
    const row = await this.#read(() => first('SELECT record FROM @store_copy'))
    return movedBy(readMark(row?.['record']), this.deps.driver.display)
  }

  watch(onChange: (change: Growth | null) => void): Disposable {
    return this.deps.changes.watch(onChange)
  }

  async grant(id: string): Promise<Grant | null> {
    return this.#read(() => findGrant(id))
  }

  async grants(query: GrantQuery): Promise<Grant[]> {
    return this.#read(() => listGrants(query))
  }

  async audit(query: AuditQuery): Promise<AuditRow[]> {
    return queryAudit(this.deps.driver, query)
  }

  async auditHead(): Promise<AuditHead> {
    await sealIfAllowed(this.deps.driver)
    return this.#read(() => readHead(this.dialect))
  }

  async feed(after: number, limit: number): Promise<FeedEntry[]> {
    return readFeed(this.deps.driver, after, limit)
  }

  cursor(name: string): Cursor {
    return new FeedCursor(this.deps.driver, name)
  }

  watchFeed(onChange: () => void): Disposable {
    return this.deps.changes.watchAll(onChange)
  }

  async figures(at: string): Promise<StoreFigures> {
    await sealIfAllowed(this.deps.driver)
    return this.deps.driver.snapshot(({ dialect }) => readFigures(dialect, Date.parse(at)))
  }

  async grantFault(id: string): Promise<string | null> {
    return this.deps.driver.snapshot(({ dialect }) => grantFault(dialect, id))
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    return searchEvents(this.deps.driver, query)
  }

  async verifyAudit(noted: readonly AuditHead[] = [], onProgress?: AuditProgress): Promise<AuditVerification> {
    return verifyAudit(this.deps.driver, noted, onProgress)
  }
}

/** In milliseconds since 1970. A run whose time is over is ready, so nothing is due for it. */
function* nextTime(after: number, now: number): Work<number | null> {
  const holdAt = yield* nextWakeTime(after)
  const runAt = yield* nextRetryTime(Math.max(after, now))
  return holdAt === null || runAt === null ? (holdAt ?? runAt) : Math.min(holdAt, runAt)
}

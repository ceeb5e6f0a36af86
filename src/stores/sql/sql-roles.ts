import type { NewAuditEntry } from '../../core/audit/audit.ts'
import type { Grant, NewGrant } from '../../core/hold/grant.ts'
import type { Revocation } from '../../ports/store/grants.ts'
import type { PrunedPage, PruneQuery } from '../../ports/store/retention.ts'
import type { Store } from '../../ports/store/store.ts'
import { SqlBundles } from './bundles/sql-bundles.ts'
import type { SqlDeps, Transaction } from './driver/driver.ts'
import type { Work } from './driver/work.ts'
import { SqlDaemons } from './fleet/sql-daemons.ts'
import { SqlPresences } from './fleet/sql-presences.ts'
import { SqlWorkers } from './fleet/sql-workers.ts'
import { SqlNotices } from './notices/sql-notices.ts'
import { SqlAccess } from './people/sql-access.ts'
import { SqlLinks } from './people/sql-links.ts'
import { SqlSessions } from './people/sql-sessions.ts'
import { SqlSubscriptions } from './people/sql-subscriptions.ts'
import { prunePage } from './prune-threads.ts'
import { SqlGraphs } from './sql-graphs.ts'
import { SqlQueries } from './sql-queries.ts'
import { giveGrant, revokeGrant } from './tables/grant-table.ts'
import { SqlTasks } from './tasks/sql-tasks.ts'

/** The roles of the store that are objects of their own, and the writes that are of no run. */
export abstract class SqlRoles extends SqlQueries {
  readonly tasks: Store['tasks']
  readonly bundles: Store['bundles']
  readonly access: Store['access']
  readonly notices: Store['notices']
  readonly links: Store['links']
  readonly sessions: Store['sessions']
  readonly subscriptions: Store['subscriptions']
  readonly presences: Store['presences']
  readonly daemons: Store['daemons']
  readonly workers: Store['workers']
  readonly graphs: Store['graphs']

  constructor(deps: SqlDeps) {
    super(deps)
    this.tasks = new SqlTasks(deps)
    this.bundles = new SqlBundles(deps)
    this.access = new SqlAccess(deps)
    this.notices = new SqlNotices(deps)
    this.links = new SqlLinks(deps)
    this.sessions = new SqlSessions(deps)
    this.subscriptions = new SqlSubscriptions(deps)
    this.presences = new SqlPresences(deps)
    this.daemons = new SqlDaemons(deps)
    this.workers = new SqlWorkers(deps)
    this.graphs = new SqlGraphs(deps)
  }

  async record(entries: readonly NewAuditEntry[]): Promise<void> {
    if (entries.length > 0) await this.#recording(({ record }) => record(entries))
  }

  async give(grant: NewGrant): Promise<Grant> {
    return this.#recording(transaction => giveGrant(transaction, grant))
  }

  async revoke(revocation: Revocation): Promise<Grant | null> {
    return this.#recording(transaction => revokeGrant(transaction, revocation))
  }

  async prune(query: PruneQuery): Promise<PrunedPage> {
    const prune = (transaction: Transaction) => prunePage(transaction, query, this.deps.host)
    return query.dry_run ? this.deps.driver.snapshot(prune) : this.#recording(prune)
  }

  /** A transaction that leaves records and no events. Followers of the log hear of it once it is durable. */
  async #recording<T>(work: (transaction: Transaction) => Work<T>): Promise<T> {
    const result = await this.deps.driver.transaction(work)
    this.deps.changes.tellOfRecords()
    return result
  }
}

import type { NewAuditEntry } from '../../core/audit/audit.ts'
import type { HostName } from '../../core/fleet/fleet-host.ts'
import type { Grant } from '../../core/hold/grant.ts'
import type { LiveCarrier, LiveChannel } from '../../ports/live-channel.ts'
import type { Revocation } from '../../ports/store/grants.ts'
import type { PrunedPage, PruneQuery } from '../../ports/store/retention.ts'
import type { Store } from '../../ports/store/store.ts'
import { auditEntries } from './audit/audit-records.ts'
import { PostgresBundles } from './bundles/postgres-bundles.ts'
import type { Pool } from './database/pool.ts'
import { PostgresDaemons } from './fleet/postgres-daemons.ts'
import { PostgresHosts } from './fleet/postgres-hosts.ts'
import { PostgresPresences } from './fleet/postgres-presences.ts'
import { PostgresGraphs } from './graphs/postgres-graphs.ts'
import { NoticeChannel } from './live/notice-channel.ts'
import { PostgresNotices } from './notices/postgres-notices.ts'
import { PostgresAccess } from './people/postgres-access.ts'
import { PostgresLinks } from './people/postgres-links.ts'
import { PostgresSessions } from './people/postgres-sessions.ts'
import { PostgresQueries } from './postgres-queries.ts'
import { prunePage } from './prune/prune-threads.ts'
import { revokeGrant } from './tables/grant-table.ts'
import { PostgresTasks } from './tasks/postgres-tasks.ts'

/** The roles of the store that are objects of their own, and the writes that are of no run. */
export abstract class PostgresRoles extends PostgresQueries implements LiveCarrier {
  readonly tasks: Store['tasks']
  readonly bundles: Store['bundles']
  readonly access: Store['access']
  readonly notices: Store['notices']
  readonly links: Store['links']
  readonly sessions: Store['sessions']
  readonly presences: Store['presences']
  readonly daemons: Store['daemons']
  readonly hosts: Store['hosts']
  readonly graphs: Store['graphs']

  constructor(pool: Pool, host: HostName) {
    super(pool, host)
    const site = { pool, host, changes: this.changes }
    this.tasks = new PostgresTasks(site)
    this.bundles = new PostgresBundles(site)
    this.access = new PostgresAccess(site)
    this.notices = new PostgresNotices(site)
    this.links = new PostgresLinks(site)
    this.sessions = new PostgresSessions(site)
    this.presences = new PostgresPresences(site)
    this.daemons = new PostgresDaemons(site)
    this.hosts = new PostgresHosts(site)
    this.graphs = new PostgresGraphs(pool)
  }

  openLiveChannel(): LiveChannel {
    return new NoticeChannel({ pool: this.pool, host: this.host, changes: this.changes })
  }

  async record(entries: readonly NewAuditEntry[]): Promise<void> {
    if (entries.length === 0) return
    await this.pool.transaction(({ query, now }) => auditEntries(query, entries, now))
    this.changes.tellOfRecords()
  }

  async revoke(revocation: Revocation): Promise<Grant | null> {
    const grant = await this.pool.transaction(transaction => revokeGrant(transaction, revocation))
    this.changes.tellOfRecords()
    return grant
  }

  async prune(query: PruneQuery): Promise<PrunedPage> {
    if (query.dry_run) return this.pool.snapshot(transaction => prunePage(transaction, query))
    const page = await this.pool.transaction(transaction => prunePage(transaction, query))
    this.changes.tellOfRecords()
    return page
  }
}

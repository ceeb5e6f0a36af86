import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store/store.ts'
import { SqliteBundles } from './bundles/sqlite-bundles.ts'
import type { Database } from './database/database.ts'
import { ONE_MACHINE } from './fleet/one-machine.ts'
import { SqliteDaemons } from './fleet/sqlite-daemons.ts'
import { SqlitePresences } from './fleet/sqlite-presences.ts'
import { SqliteGraphs } from './graphs/sqlite-graphs.ts'
import { SqliteNotices } from './notices/sqlite-notices.ts'
import { SqliteQueries } from './sqlite-queries.ts'
import { SqliteAccess } from './tables/access-table.ts'
import { SqliteLinks } from './tables/link-table.ts'
import { SqliteSessions } from './tables/session-table.ts'
import { SqliteTasks } from './tasks/sqlite-tasks.ts'

/** The roles of the store that are objects of their own. */
export abstract class SqliteRoles extends SqliteQueries {
  readonly tasks: Store['tasks']
  readonly bundles: Store['bundles']
  readonly access: Store['access']
  readonly notices: Store['notices']
  readonly links: Store['links']
  readonly sessions: Store['sessions']
  readonly presences: Store['presences']
  readonly daemons: Store['daemons']
  readonly hosts: Store['hosts'] = ONE_MACHINE
  readonly graphs: Store['graphs']

  readonly now: Store['now']

  constructor(database: Database, clock: Pick<Clock, 'now'>) {
    super(database)
    this.now = async () => clock.now()
    const site = { database, clock, changes: this.changes }
    this.tasks = new SqliteTasks(site)
    this.bundles = new SqliteBundles(site)
    this.access = new SqliteAccess(site)
    this.notices = new SqliteNotices(site)
    this.links = new SqliteLinks(site)
    this.sessions = new SqliteSessions(site)
    this.presences = new SqlitePresences(site)
    this.daemons = new SqliteDaemons(site)
    this.graphs = new SqliteGraphs(database)
  }
}

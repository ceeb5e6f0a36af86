/** Engines that spread ready runs over workers, by name. Each is loaded only by a worker that names it. */

import type { Dispatcher } from '../../ports/dispatcher.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

export type EngineName = 'graphile'

export interface Engine {
  /** Once the store is open: it has the tables that the engine watches. */
  readonly open: () => Promise<Dispatcher & AsyncDisposable>
}

type LoadEngine = (store: string) => Promise<Engine>

export const ENGINES: Readonly<Record<EngineName, LoadEngine>> = {
  async graphile(store) {
    refuseFile(store)
    const { loadGraphile } = await import('../../dispatchers/graphile/load-graphile.ts')
    const graphile = await loadGraphile()
    const { openGraphile } = await import('../../dispatchers/graphile/graphile-dispatcher.ts')
    return { open: async () => openGraphile({ graphile, ...(await connectionsOf(store)) }) }
  },
}

/** A worker looks for jobs, and one connection hears of them. */
const MOST_CONNECTIONS = 3

async function connectionsOf(store: string): Promise<Pick<Parameters<OpenGraphile>[0], 'pool' | 'schemas'>> {
  const { readDatabaseUrl } = await import('../../stores/postgres/database/database-url.ts')
  const { clientOf, loadPg } = await import('../../stores/postgres/driver/load-pg.ts')
  const { connection, schema } = readDatabaseUrl(store)
  const pg = await loadPg()
  const pool = new pg.Pool({
    connectionString: connection,
    Client: clientOf(pg),
    max: MOST_CONNECTIONS,
    application_name: 'holdpoint engine',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  // A connection that breaks: the engine gets another one.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return { pool, schemas: { store: schema, engine: `${schema}_engine` } }
}

type OpenGraphile = typeof import('../../dispatchers/graphile/graphile-dispatcher.ts').openGraphile

function refuseFile(store: string): void {
  const { scheme, display } = new StoreLocation(store)
  if (scheme === 'postgres' || scheme === 'postgresql') return
  throw projectRefusals.engineNeedsDatabase(display)
}

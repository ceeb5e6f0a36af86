import { resolve } from 'node:path'
import { RefusedError } from '../core/errors.ts'
import type { HostName } from '../core/fleet/fleet-host.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store/store.ts'
import { StoreLocation } from '../ports/store/store-location.ts'

/** The surroundings of a store that is opened by its URL. */
export interface StoreDeps {
  readonly clock: Pick<Clock, 'now'>
  /** The directory of relative paths, absolute. */
  readonly directory: string
  /** The machine of this process, for a store that several machines share. Default: the system's name of it. */
  readonly host?: () => HostName
  /** If true, a database without a store is refused with `no_store`. A file is looked at before it is opened. Default: false. */
  readonly mustExist?: boolean
}

type Opener = (location: { readonly url: string; readonly file: string }, site: StoreDeps) => Promise<Store>

/** The time of a store that several hosts share is the database's. */
const openPostgres: Opener = async ({ url }, { host, mustExist = false }) =>
  (await import('./postgres/postgres-store.ts')).openPostgresStore(url, null, {
    mustExist,
    ...(host && { host: host() }),
  })

const OPENERS: Readonly<Record<string, Opener>> = {
  memory: async (_location, { clock }) => (await import('./sqlite/sqlite-store.ts')).openSqliteStore(':memory:', clock),
  sqlite: async ({ file }, { clock, directory }) =>
    (await import('./sqlite/sqlite-store.ts')).openSqliteStore(resolve(directory, file), clock),
  postgres: openPostgres,
  postgresql: openPostgres,
}

/** SQLite's own name for memory would otherwise become a file of that name. */
const NO_FILE: ReadonlySet<string> = new Set(['', ':memory:'])

/** Opens `sqlite:PATH`, `postgres://…` or `memory:`. @throws RefusedError `unknown_store`; StoreError when it cannot be used. */
export async function openStore(url: string, site: StoreDeps): Promise<Store> {
  const { scheme, file, display } = new StoreLocation(url)
  const opener = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined
  if (!opener || (scheme === 'sqlite' && NO_FILE.has(file ?? ''))) {
    throw new RefusedError('unknown_store', `${JSON.stringify(display)} names no store that Holdpoint can open.`, {
      hint: 'Use sqlite:PATH (for example sqlite:.holdpoint/holdpoint.db), postgres://USER@HOST/DATABASE, or memory: .',
    })
  }
  return opener({ url, file: file ?? '' }, site)
}

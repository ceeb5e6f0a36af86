import { resolve } from 'node:path'
import type { SealKey } from '../core/audit/record-seal.ts'
import type { HostName } from '../core/fleet/fleet-host.ts'
import type { PlaceName } from '../core/people/trusted-place.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store/store.ts'
import { StoreLocation } from '../ports/store/store-location.ts'
import { storeRefusals } from './store-refusals.ts'

/** The surroundings of a store that is opened by its URL. */
export interface StoreDeps {
  readonly clock: Pick<Clock, 'now'>
  /** The directory of relative paths, absolute. */
  readonly directory: string
  /** The machine of this process, for a store that several machines share. Default: the system's name of it. */
  readonly host?: () => HostName
  /** The place of this process. A store that is made here trusts it (docs/security.md). Default: none is noted. */
  readonly place?: () => PlaceName | null
  /** If true, a database without a store is refused with `no_store`. A file is looked at before it is opened. Default: false. */
  readonly mustExist?: boolean
  /** The key that seals records. Default: none gets a seal. */
  readonly sealKey?: SealKey | null
}

type Opener = (location: { readonly url: string; readonly file: string }, site: StoreDeps) => Promise<Store>

/** The time of a store that several hosts share is the database's. */
const openPostgres: Opener = async ({ url }, { host, mustExist = false, sealKey = null }) =>
  (await import('./postgres/postgres-store.ts')).openPostgresStore(url, null, {
    mustExist,
    sealKey,
    ...(host && { host: host() }),
  })

const OPENERS: Readonly<Record<string, Opener>> = {
  memory: async (_location, { clock, sealKey = null }) =>
    (await import('./sqlite/sqlite-store.ts')).openSqliteStore(':memory:', clock, { sealKey }),
  sqlite: async ({ file }, { clock, directory, place, sealKey = null }) => {
    const [{ openSqliteStore }, { firstPlace }] = await Promise.all([
      import('./sqlite/sqlite-store.ts'),
      import('./sqlite/sqlite-driver.ts'),
    ])
    return openSqliteStore(resolve(directory, file), clock, {
      onMade: firstPlace(place?.() ?? null, clock),
      sealKey,
    })
  },
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
    throw storeRefusals.unknownStore(display)
  }
  return opener({ url, file: file ?? '' }, site)
}

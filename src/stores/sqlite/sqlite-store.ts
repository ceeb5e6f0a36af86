import type { Clock } from '../../ports/clock.ts'
import type { Store, StoreCapabilities } from '../../ports/store/store.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { ChangeWatch } from '../sql/driver/change-watch.ts'
import { SqlStore } from '../sql/sql-store.ts'
import { Database, type DatabaseOptions } from './database/database.ts'
import { OutsideWatch } from './database/outside-watch.ts'
import { ONE_MACHINE } from './fleet/one-machine.ts'
import { SqliteDriver } from './sqlite-driver.ts'

type Now = Pick<Clock, 'now'>

/** `path` is a file, made with its directory where it is missing, or `:memory:`. @throws StoreError */
export async function openSqliteStore(path: string, clock: Now, options?: DatabaseOptions): Promise<Store> {
  return new SqliteStore(await Database.open(path, options), path, clock)
}

/** The embedded store. */
class SqliteStore extends SqlStore implements Store {
  readonly location: StoreLocation
  readonly capabilities: StoreCapabilities
  readonly hosts: Store['hosts'] = ONE_MACHINE
  readonly #database: Database

  constructor(database: Database, path: string, clock: Now) {
    const isShared = path !== ':memory:'
    const changes = new ChangeWatch(isShared ? onChange => new OutsideWatch(database, onChange) : null)
    super({ driver: new SqliteDriver(database, clock), changes, host: null })
    this.#database = database
    this.location = new StoreLocation(isShared ? `sqlite:${path}` : 'memory:')
    this.capabilities = { isShared }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.deps.changes[Symbol.dispose]()
    this.#database[Symbol.dispose]()
  }
}

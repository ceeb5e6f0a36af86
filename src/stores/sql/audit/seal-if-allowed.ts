import { STORE_MOVED } from '../../../core/store-gone.ts'
import { StoreError } from '../../store-error.ts'
import type { SqlDriver } from '../driver/driver.ts'

/** Readers call this first. If nothing may be written, they read only the records that are sealed already. */
export async function sealIfAllowed(driver: SqlDriver): Promise<void> {
  await ifAllowed(() => driver.seal())
}

/** Refusals of a database that may only be read: of a replica, of a user without the rights, and of a store that moved. */
const MAY_ONLY_READ: ReadonlySet<string> = new Set(['store_readonly', 'store_denied', STORE_MOVED])

/** A write that readers bring along, and go on without if nothing may be written. */
export async function ifAllowed(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (thrown) {
    if (!(thrown instanceof StoreError && MAY_ONLY_READ.has(thrown.code))) throw thrown
  }
}

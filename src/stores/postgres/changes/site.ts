import type { HostName } from '../../../core/fleet/fleet-host.ts'
import type { Pool } from '../database/pool.ts'
import type { Changes } from './changes.ts'

/** The objects that each role of the store works with. A transaction has the time of the store. */
export interface PostgresSite {
  readonly pool: Pool
  readonly changes: Changes
  /** The machine of this process. */
  readonly host: HostName
}

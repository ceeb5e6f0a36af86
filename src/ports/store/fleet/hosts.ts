import type { FleetHost } from '../../../core/fleet/fleet-host.ts'

/** The machines that share a store. */
export interface HostStore {
  /** The id of the machine that this process runs on; `null`: the store is of one machine, and knows no host. */
  readonly self: string | null
  /** By id. */
  list(): Promise<readonly FleetHost[]>
  /** Records the directory in which this host keeps the output of tasks. Nothing is written if that is known. */
  keepsOutput(directory: string): Promise<void>
  /** A daemon, a worker or a server is here. With an address, its server is reached there; with `null` no more. */
  isSeen(address?: string | null): Promise<void>
}

import type { RecordedCommand } from './call-record.ts'

/** The name of this owner of leases, and whether another owner still lives. Neither asks a clock. */
export interface Liveness {
  /** Names this process among all that reach the store. */
  readonly self: string
  /** Names this start of this machine: steady times of one start can be compared. Left out if it is not known. */
  readonly boot?: string | undefined
  /** True only if that owner certainly is gone: then any process may take its lease. */
  isGone(owner: string): boolean
  /** True only if that owner certainly lives: then no process takes its lease, whatever the clocks show. */
  isAlive(owner: string): boolean
  /**
   * The process that an attempt of a call started here, by its idempotency key; `null` if there is none. Left out if it
   * is never known.
   */
  commandOf?(call: string): RecordedCommand | null
  /** Ends that process with what it started, if it runs here. Resolves when it is gone, or could not be ended. */
  stopCommand?(call: string): Promise<void>
  /** Shared by all faces of one process, and gone with it. Default: that of this process. */
  readonly running?: RunningTools
}

/** The idempotency keys of the calls whose tools run, by owner. */
export type RunningTools = Map<string, Set<string>>

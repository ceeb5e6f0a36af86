import type { RecordedCommand } from './call-record.ts'

/** The name of this owner of leases, and whether another owner still lives. Neither asks a clock. */
export interface Liveness {
  /** Names this process among all that reach the store. */
  readonly self: string
  /** Names this start of this machine: steady times of one start can be compared. Left out if it is not known. */
  readonly boot?: string | undefined
  /** True only if that owner certainly is gone: then anybody may take its lease. */
  isGone(owner: string): boolean
  /** True only if that owner certainly lives: then nobody takes its lease, whatever clocks say. */
  isAlive(owner: string): boolean
  /**
   * The process that an attempt of a call started here, by its idempotency key; `null` if there is none. Left out: it is
   * never known.
   */
  commandOf?(call: string): RecordedCommand | null
}

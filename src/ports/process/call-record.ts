/**
 * Gives the command of a call variables by which its shell keeps a record of it: its process, and its exit. `environment`: as
 * it would have been. `null` if there can be no record.
 */
export type RecordCall = (call: string, environment: Environment) => CallRecord | null

type Environment = Readonly<Record<string, string | undefined>>

export interface CallRecord {
  readonly environment: Environment
  /** To be called once its end is known here. */
  forget(): void
}

/** A command as its record has it. */
export interface RecordedCommand {
  /** As owners of leases are named. */
  readonly process: string
  /** `null` if it has not ended, or could not write it down. */
  readonly exit_code: number | null
}

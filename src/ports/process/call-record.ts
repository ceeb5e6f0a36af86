/**
 * Gives the command of a call variables by which its shell keeps a record of it: its process, and its last status. `environment`: as
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
  /**
   * Of its shell; `null` if it has not ended, or could not write it down. It is the exit code, unless a signal ended the shell:
   * then it is that of an earlier command.
   */
  readonly last_status: number | null
}

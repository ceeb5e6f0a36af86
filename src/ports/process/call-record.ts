import type { PrintedOutput } from '../../core/doubt/started-work.ts'

/**
 * Gives the command of a call variables by which its shell keeps a record of it: its process, and its last status.
 * `environment` is the environment without them. `null` if there can be no record.
 */
export type RecordCall = (call: string, environment: Environment) => CallRecord | null

type Environment = Readonly<Record<string, string | undefined>>

export interface CallRecord {
  readonly environment: Environment
  /**
   * Makes the command's output outlive this process from here on. The caller undoes it by the result, once the command
   * has ended.
   */
  keepOutput(output: CommandOutput): () => void
  /** Removes the record. The caller knows how the command ended. */
  forget(): void
}

/** The ends of the command's pipes that this process reads, as file descriptors. */
export interface CommandOutput {
  readonly stdout: number
  readonly stderr: number
  /** The output that this process has read so far. */
  readonly printed: () => PrintedOutput
}

/** A command as its record has it. */
export interface RecordedCommand {
  /** The process, named like owners of leases. */
  readonly process: string
  /**
   * The last status of its shell; `null` if the shell has not ended, or could not write it down. It is the exit code,
   * unless a signal ended the shell: then it is that of an earlier command.
   */
  readonly last_status: number | null
  /** `null` if none of its output was kept. */
  readonly printed: PrintedOutput | null
}

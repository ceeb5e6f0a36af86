import type { Io } from '../process/io.ts'
import type { Flag, Given } from './flags.ts'

export interface CommandContext {
  /** All there are. */
  readonly commands: readonly Command[]
  readonly given: Given
  readonly json: boolean
  /** The directory in which the command was started, absolute. */
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly io: Io
}

/** A subcommand as the help and the completion know it; what it does is loaded when it is used. */
export interface Command {
  readonly name: string
  /** The text after the name. */
  readonly usage: string
  readonly summary: string
  /** Paragraphs and examples for its own help. */
  readonly about: string
  readonly flags: readonly Flag[]
  /** Words that may follow, for the completion. */
  readonly words?: readonly string[]
  readonly load: () => Promise<{ readonly run: (context: CommandContext) => Promise<number> }>
}

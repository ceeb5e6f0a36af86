import type { RemoteHoldpoint } from '../../client/remote-holdpoint.ts'
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
  /** The server that the command is about, if it is not about a store here. */
  readonly server?: RemoteHoldpoint
}

/** The purposes of commands; the help lists them by these. */
export type CommandGroup = 'start' | 'decide' | 'look' | 'serve' | 'keep'

/** A subcommand as the help and the completion know it; what it does is loaded when it is used. */
export interface Command {
  readonly name: string
  readonly group: CommandGroup
  /** The text after the name. */
  readonly usage: string
  readonly summary: string
  /** Paragraphs and examples for its own help, loaded when that is shown. */
  readonly text: () => Promise<CommandText>
  readonly flags: readonly Flag[]
  /** Advice about an unknown flag. Default: a look at its help. */
  readonly flagHint?: string
  /** Words that may follow, for the completion. */
  readonly words?: readonly string[]
  readonly load: () => Promise<{ readonly run: (context: CommandContext) => Promise<number> }>
}

/** The help of one command beyond its usage and its options. It is stored unwrapped, and wrapped when it is shown. */
export interface CommandText {
  readonly about: readonly Block[]
  readonly examples: readonly Example[]
}

/** A paragraph; lines that stay as they are; or terms with their meanings. */
export type Block =
  | string
  | { readonly lines: readonly string[] }
  | { readonly terms: readonly (readonly [term: string, meaning: string])[] }

export type Example = readonly [command: string, purpose: string]

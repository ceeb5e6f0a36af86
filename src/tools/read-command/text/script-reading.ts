import type { Word } from 'unbash'
import type { Input, ReadWord } from './read-word.ts'

export type ShellParser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>

/** A command of shell text, or a file that a redirection writes. */
export interface FileWrite {
  /** `>`, `>>` or the like. */
  readonly operator: string
  readonly target: ReadWord
}

export interface ReadCommand {
  /** The program and its arguments; of a redirection alone, none. */
  readonly words: readonly ReadWord[]
  readonly input: readonly Input[]
  /** Something around it, a pipe say, may give it more to read. */
  readonly fed: boolean
  /** The files that its redirections write. */
  readonly writes: readonly FileWrite[]
  /** The values of variables that the command is given, or that it gives to later programs. */
  readonly settings: readonly string[]
  /** The text that contains it. */
  readonly source: string
  /** Where it begins in the text. */
  readonly at: number
}

/** Everything in a piece of shell text that matters to policy. */
export interface ScriptReading {
  /** Every simple command, nested ones included. */
  readonly commands: ReadCommand[]
  readonly empty: boolean
  /** True if parts may run in another order than written, or again. */
  lasts: boolean
  /** Text that some shell, or bash in some corner, runs or evaluates. */
  readonly asides: Aside[]
  /** Why the text's commands cannot be determined. */
  readonly problems: string[]
  /** Why it may run what is not in this text. */
  readonly doubts: string[]
  /** The words that may name files, for what is protected. */
  readonly names: Word[]
}

interface Aside {
  readonly text: string
  /** True if the text is certainly a command, so unreadable text in it is unclear. */
  readonly sure: boolean
}

export interface Notes {
  readonly reading: ScriptReading
  /** The text to which the node's positions refer. */
  readonly source: string
  readonly fed: boolean
  /** True if it runs before the command around it. */
  readonly isInner: boolean
}

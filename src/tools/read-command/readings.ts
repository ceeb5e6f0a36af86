import type { CommandReading } from '../../core/policy/match-command.ts'
import type { ArgumentReading } from '../../core/policy/policy.ts'
import { isAnotherProgram, namesOf } from './files/linked-programs.ts'
import { programName } from './programs/programs.ts'
import { literalWord, type ReadWord } from './text/read-word.ts'

const LONGEST_TEXTS = 256 * 1024
/** The most words, over all commands that may run, for rules to match. */
const MOST_WORDS = 15_000
const MOST_WORDS_OF_ONE = 4000
const TOO_MANY = 'the command may run too many things to tell them apart'
/** `git-push` and `/usr/lib/git-core/git-push` are `git push`. */
const DASHED = /^git-(?=[a-z])/

/** All that a line runs or may run, as rules are tried on it. */
export class Readings {
  /** Why the line's commands cannot be determined. */
  unclear: string | null = null
  readonly #workdir: string
  readonly #texts: Set<string>
  readonly #commands = new Map<string, CommandReading>()
  #length = 0
  #words = 0

  constructor(line: string, workdir: string) {
    this.#workdir = workdir
    this.#texts = new Set([line])
  }

  found(): Pick<ArgumentReading, 'among' | 'commands'> {
    return { among: [...this.#texts], commands: [...this.#commands.values()] }
  }

  /** True if a link makes one of its programs another one. */
  isRenamed(): boolean {
    return [...this.#commands.values()].some(({ words: [program = []] }) =>
      isAnotherProgram(program.join(''), this.#workdir),
    )
  }

  /** Adds a command by each name of its program. */
  add([program, ...rest]: readonly ReadWord[]): void {
    if (!program || (program.text === '' && rest.length === 0) || this.#length > LONGEST_TEXTS) return
    const name = programName(program.text).toLowerCase()
    if (program.literal && DASHED.test(name))
      this.add([literalWord('git'), literalWord(name.replace(DASHED, '')), ...rest])
    const operands = rest.map(word => word.text).join(' ')
    const pieces = rest.slice(0, MOST_WORDS_OF_ONE).map(word => word.pieces)
    if (rest.length > MOST_WORDS_OF_ONE) this.unclear ??= 'the command has too many words to compare them with rules'
    for (const { text, pieces: name } of namesOf(program, this.#workdir)) {
      const line = rest.length === 0 ? text : `${text} ${operands}`
      this.#length += line.length
      this.#texts.add(line)
      this.addReading({ words: [name, ...pieces], doubt: null })
    }
    if (this.#length > LONGEST_TEXTS) this.unclear ??= TOO_MANY
  }

  /** Adds a reading that may be any command. */
  doubt(doubt: string): void {
    this.addReading({ words: [['', '']], doubt })
  }

  addReading(reading: CommandReading): void {
    this.#words += reading.words.length
    if (this.#words > MOST_WORDS) {
      this.unclear ??= TOO_MANY
      return
    }
    // Neither can be in a command that is clear.
    const words = reading.words.map(pieces => pieces.join('\0')).join('\u0001')
    this.#commands.set(`${reading.doubt ?? ''}\u0001${words}`, reading)
  }
}

import type { CommandReading, WordPieces } from '../../core/policy/match-command.ts'
import { renamedPrograms } from './files/written-paths.ts'
import { readCode, readsUnknown } from './programs/code-arguments.ts'
import {
  isFeeder,
  isOwn,
  isReplaced,
  namesReplaced,
  shellTexts,
  takesNextWord,
  valuesIn,
} from './programs/option-words.ts'
import { isFedWhole, programName, type Use, usesOf, whyUnread } from './programs/programs.ts'
import { readShellArguments } from './programs/shell-arguments.ts'
import {
  isFilledIn,
  mayBeAnyText,
  mayRunAnything,
  readByClient,
  startDoubts,
  takesUnknown,
  textsOf,
} from './programs/unknown-programs.ts'
import { literalWord, type ReadWord, shown } from './text/read-word.ts'
import type { ReadCommand } from './text/script-reading.ts'

export interface Unwrapped {
  /** The command, and each that it runs for certain. */
  readonly commands: (readonly ReadWord[])[]
  /** Commands that it may run, and why that is in doubt. */
  readonly doubts: CommandReading[]
  /** Why it may run any word of the line around it; `null` if it does not. */
  around: string | null
  /** Text that it hands to a shell. */
  readonly scripts: Set<string>
  readonly problems: string[]
}

const MOST_WRAPPERS = 32
const MOST_WORDS = 20_000
const ANYTHING: WordPieces = ['', '']
const BY_KERNEL = /(?:^|\/)(?:proc|dev)\//

/**
 * What a command runs: itself, the commands among its words, and text for shells. `directory` is its working directory,
 * if known.
 */
export function unwrapCommand(command: ReadCommand, directory: string | null): Unwrapped {
  const walk = new Walk(command, directory)
  walk.run(0, false)
  return walk.found
}

class Walk {
  readonly found: Unwrapped = { commands: [], doubts: [], around: null, scripts: new Set(), problems: [] }
  readonly #command: ReadCommand
  readonly #directory: string | null
  readonly #words: readonly ReadWord[]
  readonly #texts: readonly string[]
  /** The names that `xargs -I` and the like replace. */
  readonly #replaced: ReadonlySet<string>
  readonly #seen = new Set<number>()
  #weight = 0

  constructor(command: ReadCommand, directory: string | null) {
    this.#command = command
    this.#directory = directory
    this.#texts = command.words.map(({ text }) => text)
    this.#replaced = namesReplaced(this.#texts)
    this.#words = this.#texts.some(isFeeder) ? this.#filledIn(command.words) : command.words
  }

  /** The word at this position is a program. `fed`: some of its words come from elsewhere. `isOperand`: or it is none. */
  run(at: number, fed: boolean, isOperand = false): void {
    const words = this.#words.slice(at)
    if (this.#seen.has(at) || this.#seen.size > MOST_WRAPPERS || !this.#add(words.length, () => words)) return
    this.#seen.add(at)
    if (this.#seen.size > MOST_WRAPPERS) this.#trouble('it wraps too many commands to read')
    if (words[0]?.literal === false) this.#trouble(`which program runs depends on ${shown(words[0].text)}`)
    else this.#use(at, fed, isOperand)
    for (const renamed of renamedPrograms(words))
      this.#doubt(`${this.#name(at)} may give ${renamed} another name`, [[renamed], ANYTHING])
  }

  #use(at: number, fed: boolean, isOperand: boolean): void {
    const [program = '', ...texts] = this.#texts.slice(at)
    if (BY_KERNEL.test(program)) this.#trouble(`what ${shown(program)} is cannot be known`)
    const words = (fed ? this.#words : this.#command.words).slice(at)
    const taken = takesUnknown(words, this.#command)
    if (taken) this.#readTokens(at)
    if ((taken && mayBeAnyText(program, this.#command.source)) || isFedWhole(words)) this.unread(at)
    const uses = usesOf([program, ...texts, ...readByClient(program, this.#command)])
    for (const use of uses.filter(({ role }) => !(isOperand && role === 'unknown')))
      READ[use.role](this, { at, from: at + use.from, use, fed: fed || use.feeds })
  }

  /** False once there are too many. */
  #add(length: number, words: () => readonly ReadWord[]): boolean {
    this.#weight += length
    if (this.#weight <= MOST_WORDS) this.found.commands.push(words())
    else if (this.#weight - length <= MOST_WORDS)
      this.#trouble('the command may run too many things to tell them apart')
    return this.#weight <= MOST_WORDS
  }

  #name(at: number): string {
    return programName(this.#texts[at] ?? '')
  }

  #trouble(why: string): void {
    this.found.problems.push(why)
  }

  #doubt(why: string, words: readonly WordPieces[] = [ANYTHING]): void {
    this.found.doubts.push({ words, doubt: why })
  }

  unread(at: number): void {
    this.#doubt(whyUnread(this.#name(at), this.#texts.slice(at + 1)))
  }

  /** An unknown program may run its words. */
  readUnknown(at: number): void {
    if (mayRunAnything(this.#words.slice(at + 1), this.#command)) this.#doubt(this.#whyUnknown(at))
    this.#readTokens(at)
  }

  #readTokens(at: number): void {
    const words = this.#words.slice(at + 1)
    this.found.doubts.push(...startDoubts(textsOf(words, this.#command), this.#whyUnknown(at)))
    if (isFilledIn(words, this.#command)) this.found.around ??= this.#whyUnknown(at)
  }

  #whyUnknown(at: number): string {
    return `it is not known that ${shown(this.#texts[at] ?? '')} does not run its words`
  }

  /** `source x`, and `bash x` are alike: policy does not read the file. */
  readShell(at: number, fed: boolean): void {
    const { input } = this.#command
    const { scripts, problem, file } = readShellArguments(this.#name(at), this.#words.slice(at + 1), input)
    for (const text of scripts) this.#script(text)
    if (problem) this.#trouble(problem)
    if (file !== null) this.#doubt(`${this.#name(at)} runs ${shown(file)}, which policy does not read`)
    if (fed && scripts.some(text => isReplaced(text, this.#replaced)))
      this.#trouble(`${this.#name(at)} runs text that is filled in from elsewhere`)
  }

  readCode(at: number, fed: boolean): void {
    const around = { directory: this.#directory, fed, command: this.#command }
    const { isUnread, fromElsewhere } = readCode(this.#name(at), this.#words.slice(at + 1), around)
    if (isUnread) this.unread(at)
    if (fromElsewhere) this.#trouble(`${this.#name(at)} reads its code from elsewhere`)
  }

  readText(place: Place): void {
    const { at, from, use } = place
    const unknown = this.#words.slice(from).find(word => !word.literal)
    if (unknown) this.#trouble(`what ${this.#name(at)} runs depends on ${shown(unknown.text)}`)
    for (const text of shellTexts(this.#name(at), this.#texts.slice(from))) this.#script(text)
    const program = this.readWords(place)
    if (program !== null) this.#script(this.#texts.slice(program).join(' '))
    if (use.operands > 9) this.#readInput(at, false)
  }

  /**
   * The position of the command among the words, as far as that is possible without each program's options; `null` if
   * there is none. A word after an option may be its value or the program: it is read as both.
   */
  readWords(place: Place): number | null {
    const { at, from, use, fed } = place
    let { operands } = use
    if (use.from > 1) this.#readValues(from - 1, false)
    for (let next = from; next < this.#words.length; next++) {
      const part = this.#partAt(next, place, operands)
      if (part === 'command') return next
      if (part === 'operand') operands--
    }
    if (!use.feeds && use.from === 1) this.#readInput(at, fed)
    return null
  }

  /** The kind of a word: the program's own, an operand of it, or the begin of the command. */
  #partAt(next: number, { at, from, use, fed }: Place, operands: number): 'own' | 'operand' | 'command' {
    const word = this.#words[next] as ReadWord
    const isValue = next > from && takesNextWord(this.#texts[next - 1] ?? '')
    if (!this.#readValues(next, isValue)) return 'command'
    if (isOwn(word, use.operands, isValue)) return 'own'
    if (word.literal) this.#mayRun(next, fed, operands > 0)
    else this.#noteUnknown(word, this.#name(at), isValue ? null : operands)
    if (isValue) return 'own'
    return operands === 0 ? 'command' : 'operand'
  }

  /** `operands`: of how many the word may be one; `null`: it is the value of an option, perhaps. */
  #noteUnknown({ text, bare }: ReadWord, program: string, operands: number | null): void {
    const why = `which program ${program} runs depends on ${shown(text)}`
    if (operands === 0) this.#trouble(why)
    // Without quotes the name of a container may turn out to be more than one word.
    else if (operands !== null && bare === null) this.#doubt(why)
  }

  #mayRun(at: number, fed: boolean, isOperand: boolean): void {
    if (HOLDS_BLANKS.test(this.#texts[at] ?? '')) this.#script(this.#texts[at] ?? '')
    this.run(at, fed, isOperand)
  }

  /** The value of an option may be the command: `--exec='rm x'`. False once there are too many. */
  #readValues(at: number, isValue: boolean): boolean {
    return valuesIn(this.#texts[at] ?? '', isValue).every(value => {
      if (HOLDS_BLANKS.test(value)) this.#script(value)
      return this.#add(this.#words.length - at, () => [literalWord(value), ...this.#words.slice(at + 1)])
    })
  }

  /** The program starts a shell, or runs its input. */
  #readInput(at: number, fed: boolean): void {
    for (const each of this.#command.input) if (each) this.#script(each.text)
    if (fed || readsUnknown(this.#command)) this.#trouble(`${this.#name(at)} may run what it reads from elsewhere`)
  }

  #script(text: string): void {
    this.found.scripts.add(text)
  }

  /** Words that partly come from elsewhere, and perhaps more words after them. */
  #filledIn(words: readonly ReadWord[]): ReadWord[] {
    const unknown = { ...literalWord(''), literal: false, pieces: ANYTHING }
    return [
      ...words.map(word => (isReplaced(word.text, this.#replaced) ? { ...unknown, text: word.text } : word)),
      unknown,
    ]
  }
}

const READ: Record<Use['role'], (walk: Walk, place: Place) => void> = {
  inert() {},
  writes() {},
  words: (walk, place) => void walk.readWords(place),
  text: (walk, place) => walk.readText(place),
  shell: (walk, { at, fed }) => walk.readShell(at, fed),
  code: (walk, { at, fed }) => walk.readCode(at, fed),
  unread: (walk, { at }) => walk.unread(at),
  unknown: (walk, { at }) => walk.readUnknown(at),
}

interface Place {
  readonly at: number
  readonly from: number
  readonly use: Use
  readonly fed: boolean
}

const HOLDS_BLANKS = /\S\s+\S/

import type { CommandReading, WordPieces } from '../../core/policy/match-command.ts'
import {
  likeCommands,
  NAMES_REPLACEMENT,
  namesReplaced,
  programName,
  replacedIn,
  type Wrapper,
  wrappersAtWork,
} from './command-wrappers.ts'
import type { ReadCommand } from './read-script.ts'
import { readShellArguments } from './read-shell-arguments.ts'
import { isContainer, isContainerValue, mayBeValue } from './settings/containers.ts'
import { isFlag, isNumber, valuesIn } from './words/flag-words.ts'
import { type FoundScript, MAY_BE_SCRIPT, scriptsIn } from './words/found-scripts.ts'
import { hidesCode, isHarmlessCode, isInlineCode, mayRunProgram } from './words/harmless-code.ts'
import { literalWord, type ReadWord, shown } from './words/read-word.ts'
import { isFile, setsUp } from './words/sourced-files.ts'

export interface Unwrapped {
  readonly wraps: boolean
  /** From which word on a wrapped command may begin. */
  readonly from: number
  readonly scripts: FoundScript[]
  readonly problems: string[]
  /** Commands that it may run, and why that is in doubt. */
  readonly doubts: CommandReading[]
  /** Its words; unknown ones for those that come from elsewhere. */
  readonly words: readonly ReadWord[]
}

const MOST_WRAPPERS = 32

/** The programs that a command runs besides its own. */
export function unwrapCommand(command: ReadCommand): Unwrapped {
  const texts = command.words.map(word => word.text)
  const atWork = wrappersAtWork(texts, 0)
  const from = Math.max(1, Math.min(...atWork.map(found => found.from - 1)))
  const replaced = namesReplaced(texts)
  const words = atWork.some(({ wrapper }) => wrapper.feeds) ? filledIn(command.words, replaced) : command.words
  const unwrapped: Unwrapped = { wraps: atWork.length > 0, from, scripts: [], problems: [], doubts: [], words }
  for (const { as, why } of likeCommands(texts, unwrapped.wraps)) doubt(unwrapped, why, [[as], ANYTHING])
  noteInput(command, texts, unwrapped)
  if (!unwrapped.wraps) return unwrapped
  const isCode = atWork.some(found => found.wrapper.runs === 'code')
  for (const text of texts.slice(from)) unwrapped.scripts.push(...scriptsIn(text, isCode))
  unwrapAt({ command, texts, unwrapped, replaced, seen: new Set(), code: new Set() }, 0, null)
  return unwrapped
}

const CLIENT = /^(sqlite3?|duckdb|psql|mysql|mariadb)$/

/** A client of a database takes what a here-document holds as it takes what its words hold. */
function noteInput({ input }: ReadCommand, [program = '']: readonly string[], unwrapped: Unwrapped): void {
  if (!CLIENT.test(programName(program))) return
  const atWork = wrappersAtWork([program, ...input.map(word => word?.text ?? '')], 0)
  if (atWork.some(({ wrapper }) => wrapper.runs === 'unread'))
    doubt(unwrapped, `policy does not read what ${programName(program)} runs`)
}

/** The words of `xargs git {}`, of which some come from elsewhere, and perhaps more behind them. */
function filledIn(words: readonly ReadWord[], replaced: ReadonlySet<string>): ReadWord[] {
  const unknown = { ...literalWord(''), literal: false, pieces: ANYTHING }
  return [...words.map(word => (replacedIn(word.text, replaced) ? { ...unknown, text: word.text } : word)), unknown]
}

interface Walk {
  readonly command: ReadCommand
  readonly texts: readonly string[]
  readonly unwrapped: Unwrapped
  readonly replaced: ReadonlySet<string>
  /** Words already taken as a wrapper: each once, or flags would double the work. */
  readonly seen: Set<number>
  /** Words that are code in another language. */
  readonly code: Set<number>
}

/** A wrapper at work in the walk. `feeder` is the wrapper, itself or one around it, that hands it words from elsewhere. */
interface Use {
  readonly wrapper: Wrapper
  readonly name: string
  readonly from: number
  readonly feeder: Wrapper | null
}

/** Takes the word at `at` for a program: what does it run, if it is a wrapper? */
function unwrapAt(walk: Walk, at: number, feeder: Wrapper | null): boolean {
  if (walk.seen.has(at)) return true
  const found = wrappersAtWork(walk.texts, at)
  if (found.length === 0) return false
  walk.seen.add(at)
  if (walk.seen.size + found.length > MOST_WRAPPERS) {
    walk.unwrapped.problems.push('it wraps too many commands to read')
    return true
  }
  for (const { wrapper, from } of found) {
    const use = { wrapper, name: programName(walk.texts[at] ?? ''), from, feeder: wrapper.feeds ? wrapper : feeder }
    if (from - 1 > at) readTrigger(walk, use)
    READ[wrapper.runs](walk, use)
  }
  return true
}

/** The word that makes it a wrapper may hold the command itself: `--exec='rm x'`. */
function readTrigger(walk: Walk, { name, from }: Use): void {
  const trigger = walk.command.words[from - 1]
  if (trigger?.literal === false) walk.unwrapped.problems.push(`what ${name} runs depends on ${shown(trigger.text)}`)
  strictly(walk, valuesIn(trigger?.text ?? ''))
}

const READ: Record<Wrapper['runs'], (walk: Walk, use: Use) => void> = {
  words: readWords,
  script: readScriptWords,
  shell: readShell,
  file: readFile,
  code: readInlineCode,
  input: readCode,
  unread: readUnread,
}

/** `source x`, which is as `bash x` is. */
function readFile({ command, unwrapped }: Walk, { name, from }: Use): void {
  const file = command.words[from]
  if (file && setsUp(file.text)) return
  if (file && isFile(file)) doubt(unwrapped, `${name} runs ${file.text}, which policy does not read`)
  else unwrapped.problems.push(`${name} runs a file that policy does not read`)
}

function readInlineCode({ texts, unwrapped, code: noted }: Walk, { name, from }: Use): void {
  const trigger = texts[from - 1] ?? ''
  const code = texts[from] ?? ''
  if (/^(g?sed|[gmn]?awk)$/.test(name)) {
    const mayRun = mayRunProgram(name, texts.slice(from).join('\n'))
    if (mayRun) doubt(unwrapped, `${name} may run what its script says`)
  } else if (from === 1 || isInlineCode(name, trigger, code)) {
    noted.add(from)
    if (hidesCode(trigger) || !isHarmlessCode(name, code)) doubt(unwrapped, `policy does not read what ${name} runs`)
  }
}

function readUnread({ command, unwrapped }: Walk, { name }: Use): void {
  doubt(unwrapped, `policy does not read what ${name} runs`)
  for (const input of command.input) if (input) unwrapped.scripts.push({ text: input.text, strict: false })
}

const ANYTHING: WordPieces = ['', '']

function doubt({ doubts }: Unwrapped, why: string, words: readonly WordPieces[] = [ANYTHING]): void {
  doubts.push({ words, doubt: why })
}

/** An interpreter without a file or code among its words. */
function readCode({ command, unwrapped }: Walk, { name, feeder }: Use): void {
  for (const input of command.input) if (input) unwrapped.scripts.push(...scriptsIn(input.text, true))
  const unread = command.input.length === 0 ? command.fed : !command.input.every(input => input?.literal)
  if (feeder || unread) unwrapped.problems.push(`${name} reads its code from elsewhere`)
  const code = command.input.map(input => input?.text ?? '').join('\n')
  if (code !== '' && !isHarmlessCode(name, code)) doubt(unwrapped, `policy does not read what ${name} runs`)
}

function readShell({ command, replaced, unwrapped }: Walk, { name, from, feeder }: Use): void {
  const { scripts, problem, file } = readShellArguments(name, command.words.slice(from), command.input)
  unwrapped.scripts.push(...scripts.map(text => ({ text, strict: true })))
  if (problem) unwrapped.problems.push(problem)
  if (file !== null) doubt(unwrapped, `${name} runs ${shown(file)}, which policy does not read`)
  const filled = feeder && scripts.some(text => replacedIn(text, replaced))
  if (filled) unwrapped.problems.push(`${name} runs text that is filled in from elsewhere`)
}

function readScriptWords(walk: Walk, use: Use): void {
  const { command, texts, unwrapped } = walk
  const unknown = command.words.slice(use.from).find(word => !word.literal)
  if (unknown) unwrapped.problems.push(`what ${use.name} runs depends on ${shown(unknown.text)}`)
  for (const word of texts.slice(use.from)) {
    const script = use.name === 'alias' ? word.replace(/^[^\s=]*=/, '') : word
    if (MAY_BE_SCRIPT.test(script)) unwrapped.scripts.push({ text: script, strict: true })
  }
  const program = readWords(walk, use)
  if (program !== null) unwrapped.scripts.push({ text: texts.slice(program).join(' '), strict: true })
}

/**
 * The position of the wrapped program, as far as one can tell without knowing each wrapper's flags; `null` if there is
 * none.
 */
function readWords(walk: Walk, use: Use): number | null {
  let { operands } = use.wrapper
  for (let at = use.from; at < walk.texts.length; at++) {
    const role = roleOf(walk, use, at, operands)
    if (role === 'unknown' || (role === 'operand' && operands === 0)) return at
    if (role === 'operand') operands--
  }
  readNoProgram(walk, use)
  return null
}

/** A word may belong to a flag, be an operand of the wrapper or the program, or be any word. */
type Role = 'flag' | 'operand' | 'unknown'

function roleOf(walk: Walk, use: Use, at: number, operands: number): Role {
  const unknown = whyUnknown(walk, use, at)
  if (unknown === null) return mayBeProgram(walk, use, at) ? 'operand' : 'flag'
  if (operands === 0 || !isContainer(use.name) || use.feeder) {
    walk.unwrapped.problems.push(unknown)
    return 'unknown'
  }
  // Without quotes the name of a container may turn out to be more than one word.
  if (walk.command.words[at]?.bare === null) doubt(walk.unwrapped, unknown)
  return mayBeValue(use.name, walk.texts[at - 1] ?? '') ? 'flag' : 'operand'
}

/** The word after a flag may be its value. It is read as a program to be safe, and the search goes on. */
function mayBeProgram(walk: Walk, use: Use, at: number): boolean {
  const text = walk.texts[at] ?? ''
  const afterFlag = mayBeValue(use.name, walk.texts[at - 1] ?? '')
  const isSetting = /^\w+=/.test(text)
  if (!(isSetting && !afterFlag) && !isNoText(walk, use, at)) strictly(walk, isFlag(text) ? valuesIn(text) : [text])
  if (text.startsWith('-') || isSetting || isDuration(use, text)) return false
  unwrapAt(walk, at, use.feeder)
  return at === use.from || !afterFlag
}

function isDuration({ wrapper }: Use, text: string): boolean {
  return wrapper.operands === 0 && isNumber(text)
}

/** Code in another language, or the value of an option of a container. */
function isNoText({ command, texts, code }: Walk, { name }: Use, at: number): boolean {
  const word = command.words[at]
  return code.has(at) || (word?.literal === false && isContainerValue(name, texts[at - 1] ?? '', word))
}

function strictly({ unwrapped }: Walk, texts: readonly string[]): void {
  for (const text of texts) if (/\S\s+\S/.test(text)) unwrapped.scripts.push({ text, strict: true })
}

/** Without a program of its own a wrapper starts a shell, or runs what it reads. */
function readNoProgram({ command, unwrapped }: Walk, { wrapper, name, feeder }: Use): void {
  if (wrapper.feeds && wrapper.runs === 'words') return
  for (const input of command.input) if (input) unwrapped.scripts.push({ text: input.text, strict: true })
  const unread = command.input.length === 0 ? command.fed : !command.input.every(input => input?.literal)
  if (feeder || unread) unwrapped.problems.push(`${name} may run what it reads from elsewhere`)
}

function whyUnknown({ command, texts, replaced }: Walk, { name, feeder }: Use, at: number): string | null {
  const word = command.words[at]
  if (!word || isContainerValue(name, texts[at - 1] ?? '', word)) return null
  const filledIn = feeder !== null && !NAMES_REPLACEMENT.test(texts[at - 1] ?? '') && replacedIn(word.text, replaced)
  if (word.literal && (!filledIn || isFlag(word.text))) return null
  return `which program ${name} runs depends on ${shown(word.text)}`
}

import type { CommandReading } from '../../core/policy/match-command.ts'
import { programName, valuesIn, type Wrapper, wrappersAtWork } from './command-wrappers.ts'
import { type FoundScript, type ReadCommand, shown } from './read-script.ts'
import { readShellArguments } from './read-shell-arguments.ts'

export interface Unwrapped {
  readonly wraps: boolean
  /** From which word on a wrapped command may begin. */
  readonly from: number
  readonly scripts: FoundScript[]
  readonly problems: string[]
  /** Commands that it may run, and why that is in doubt. */
  readonly doubts: CommandReading[]
}

const MOST_WRAPPERS = 64
const MAY_BE_SCRIPT = /[\s;&|<>()$`"'\\{}]/

/** The programs that a command runs besides its own. */
export function unwrapCommand(command: ReadCommand): Unwrapped {
  const texts = command.words.map(word => word.text)
  const atWork = wrappersAtWork(texts, 0)
  const from = Math.max(1, Math.min(...atWork.map(found => found.from - 1)))
  const unwrapped: Unwrapped = { wraps: atWork.length > 0, from, scripts: [], problems: [], doubts: [] }
  if (!unwrapped.wraps) return unwrapped
  const isCode = atWork.some(found => found.wrapper.runs === 'code')
  for (const text of texts.slice(from)) unwrapped.scripts.push(...scriptsIn(text, isCode))
  unwrapAt({ command, texts, unwrapped, replaced: namesReplaced(texts), seen: new Set() }, 0, null)
  return unwrapped
}

/** Every text of a word that may be a script: all of it, its value, what follows a blank, and the strings in code. */
function scriptsIn(word: string, isCode: boolean): FoundScript[] {
  if (!MAY_BE_SCRIPT.test(word)) return []
  const strings = isCode ? [...word.matchAll(/(["'`])((?:(?!\1).)+)\1/gs)].map(([, , string = '']) => string) : []
  const texts = [word, ...valuesIn(word), word.replace(/^\s*\S+\s+/, ''), ...strings]
  return texts.map(text => ({ text, strict: false }))
}

interface Walk {
  readonly command: ReadCommand
  readonly texts: readonly string[]
  readonly unwrapped: Unwrapped
  readonly replaced: ReadonlySet<string>
  /** Words already taken as a wrapper: each once, or flags would double the work. */
  readonly seen: Set<number>
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
  file: ({ unwrapped }, { name }) => unwrapped.problems.push(`${name} runs a file that policy does not read`),
  code: () => {},
  input: readCode,
}

/** An interpreter without a file or code among its words. */
function readCode({ command, unwrapped }: Walk, { name, feeder }: Use): void {
  for (const input of command.input) if (input) unwrapped.scripts.push(...scriptsIn(input.text, true))
  const unread = command.input.length === 0 ? command.fed : !command.input.every(input => input?.literal)
  if (feeder || unread) unwrapped.problems.push(`${name} reads its code from elsewhere`)
}

function readShell({ command, replaced, unwrapped }: Walk, { name, from, feeder }: Use): void {
  const { scripts, problem } = readShellArguments(name, command.words.slice(from), command.input)
  unwrapped.scripts.push(...scripts.map(text => ({ text, strict: true })))
  if (problem) unwrapped.problems.push(problem)
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
    const unknown = whyUnknown(walk, use, at)
    if (unknown) {
      walk.unwrapped.problems.push(unknown)
      return at
    }
    if (!mayBeProgram(walk, use, at)) continue
    if (operands === 0) return at
    operands--
  }
  readNoProgram(walk, use)
  return null
}

/** The word after a flag may be its value. It is read as a program to be safe, and the search goes on. */
function mayBeProgram(walk: Walk, { wrapper, from, feeder }: Use, at: number): boolean {
  const text = walk.texts[at] ?? ''
  const afterFlag = isFlag(walk.texts[at - 1] ?? '')
  const isSetting = /^\w+=/.test(text)
  strictly(walk, isFlag(text) ? valuesIn(text) : isSetting && !afterFlag ? [] : [text])
  if (text.startsWith('-') || isSetting || (wrapper.operands === 0 && isNumber(text))) return false
  unwrapAt(walk, at, feeder)
  return at === from || !afterFlag
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
  if (!word) return null
  const filledIn = feeder !== null && !NAMES_REPLACEMENT.test(texts[at - 1] ?? '') && replacedIn(word.text, replaced)
  if (word.literal && (!filledIn || isFlag(word.text))) return null
  return `which program ${name} runs depends on ${shown(word.text)}`
}

const NAMES_REPLACEMENT = /^-[IJ]$|^--replace$/
/** `{}` and its relatives, as `find`, `fd`, `xargs` and `parallel` know them. */
const PLACEHOLDER = /\{[^A-Za-z\s{}]*\}/

/** The names that `xargs -I` and the like replace. */
function namesReplaced(texts: readonly string[]): ReadonlySet<string> {
  const names = texts.flatMap((word, at) => {
    if (NAMES_REPLACEMENT.test(word)) return texts[at + 1] ?? []
    return /^(?:-[IiJ]|--replace=)(.+)$/s.exec(word)?.[1] ?? []
  })
  return new Set(names)
}

function replacedIn(text: string, replaced: ReadonlySet<string>): boolean {
  return replaced.size > MOST_WRAPPERS || PLACEHOLDER.test(text) || [...replaced].some(name => text.includes(name))
}

/** As in `nice 5`; the number of `timeout 5` is counted among its operands. */
function isNumber(text: string): boolean {
  return /^[+-]?\d+(\.\d+)?[smhd%]?$/.test(text)
}

function isFlag(text: string): boolean {
  return text.startsWith('-') && text !== '--' && text !== '-'
}

import type { CommandReading } from '../../../core/policy/match-command.ts'
import type { ReadWord } from '../text/read-word.ts'
import type { ReadCommand } from '../text/script-reading.ts'
import { mayTurn, programName, usesOf } from './programs.ts'

/** How many words are read from each possible command on: no pattern is longer. */
const MOST_TOKENS = 12
const MOST_STARTS = 1000

type Around = Pick<ReadCommand, 'fed' | 'input'>

/** The words among texts, and within them, with which a command may begin that somebody runs. */
export function startDoubts(texts: readonly string[], why: string): readonly CommandReading[] {
  const tokens = texts.flatMap(text => [
    ...new Set([text, text.replace(/['"\\]/g, ''), text.replace(/['"]/g, '').replace(ESCAPE, ' ')].flatMap(tokensIn)),
  ])
  const starts = tokens.flatMap((token, at) => (token.startsWith('-') ? [] : [tokens.slice(at, at + MOST_TOKENS)]))
  const different = [...new Map(starts.map(start => [start.join(' '), start])).values()]
  const found =
    different.length > MOST_STARTS ? [] : different.map(start => start.map(each => [programName(each) || each]))
  return (found.length < different.length ? [[]] : found).map(words => ({ words: [...words, ['', '']], doubt: why }))
}

/** A client of a database takes what a here-document gives it as it takes its words. */
const CLIENT = /^(?:sqlite3?|duckdb|psql|mysql|mariadb)$/
/** Options whose value is the next word: a message, a file, a directory, a number. */
const VALUE_BEHIND = /^-(?:[A-Za-z]*[mFCn]|-(?:message|author|date|grep|file))$/

export function readByClient(program: string, { input }: Around): readonly string[] {
  return CLIENT.test(programName(program)) ? input.map(word => word?.text ?? '') : []
}

/** A variable of the line that may be an option, and a command of a client as text. */
const SETS_OPTION = /\b\w+=["']?-[A-Za-z-]/
const CLIENT_COMMAND = /['"\n]\s*\.[a-z]|\\/

/** True if that text may be anything at all: put together in the line, or handed to a client as a command. */
export function mayBeAnyText(name: string, source: string): boolean {
  return SETS_OPTION.test(source) || (CLIENT.test(programName(name)) && CLIENT_COMMAND.test(source))
}

/** True if a program that is known may run text which is not: as an option, a script, or a command that it reads. */
export function takesUnknown([program, ...words]: readonly ReadWord[], { fed, input }: Around): boolean {
  const name = program?.text ?? ''
  const isRead = fed || input.some(word => !word?.literal)
  if (CLIENT.test(programName(name)) && isRead) return true
  return words.some((word, at) => !VALUE_BEHIND.test(words[at - 1]?.text ?? '') && mayTurn(name, word))
}

/** True if it may run a command of which nothing is known. */
export function mayRunAnything(words: readonly ReadWord[], around: Around): boolean {
  const isRun = isFilledIn(words, around) && textsOf(words, around).flatMap(tokensIn).some(isShell)
  const read = around.input.filter(word => word !== null)
  return isRun || [...words, ...read].some((word, at) => mayBeScript(word, words[at - 1]))
}

/** All that a program gets by its words and by what it reads. */
export function textsOf(words: readonly ReadWord[], { input }: Around): readonly string[] {
  return [...words, ...input].flatMap(word => word?.text ?? [])
}

/** True if some of its words or input come from the line around it. */
export function isFilledIn(words: readonly ReadWord[], { fed, input }: Around): boolean {
  return fed || [...words, ...input].some(word => !word?.literal)
}

/** The escapes of `printf` and `$'…'`. */
const ESCAPE = /\\(?:[0-7]{1,3}|x[\dA-Fa-f]{1,2}|[a-z])/g
/** Text that a shell would expand. */
const EXPANDED = /\$[\w({@*#?!$-]|`/
const PATTERN = /[*{]/
const ODD = /[?[\\]/
const TAKES_CODE = /^--?(?:[\w-]*-)?(?:[A-Za-z]{0,3}[ceE]|eval|exec|execute|command|code)$/
const CODE = /[\s'"();|&$`]/

/** Text that `xargs -I%` may fill in next to letters or blanks. */
const FILLED_IN = /^[^$`]*\s|^\w+[^\w/$`]*$/

/** True for text that may be an unknown script: a substitution, an expansion, code after `-c`. */
function mayBeScript({ text, literal, bare }: ReadWord, before: ReadWord | undefined): boolean {
  if (!literal) return bare === null ? /\$\(|`/.test(text) : /\s/.test(bare) || (bare === '' && FILLED_IN.test(text))
  const isText = /\s/.test(text)
  const isCode = TAKES_CODE.test(before?.text ?? '') ? CODE.test(text) : /^-[A-Za-z][^=]*["'(;|&]/.test(text)
  return isCode || EXPANDED.test(text) || (ODD.test(text) && /[\s/]/.test(text)) || (isText && PATTERN.test(text))
}

function tokensIn(text: string): string[] {
  return text.split(/[^\w./+@%-]+/).filter(token => token !== '')
}

function isShell(token: string): boolean {
  return usesOf([token, '-c']).some(({ role }) => role === 'shell' || role === 'text' || role === 'code')
}

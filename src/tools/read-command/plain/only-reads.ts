import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { firstOutside, isThere, literal, type PlainValue, type ReadingPlace, whyOutside } from './outside-paths.ts'
import type { PlainWord } from './plain-words.ts'
import { FILE_TESTS, FIND_ALONE, FIND_TESTS, GIT_READERS, READERS, type Reader, TEXT_TESTS } from './readers.ts'

const MOST_ENTRIES = 20_000

/** Why a command may do more than to read what lies in the directory of the run; `null` if it only does that. */
export function whyNotReading(words: readonly PlainValue[], place: ReadingPlace): string | null {
  const [program, ...rest] = words
  const name = literal(program)
  if (name === null) return 'which program runs is not known'
  const check = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined
  if (check) return check(rest, place)
  const reader = READERS.get(name)
  return reader ? whyNotByTable(name, reader, { words: rest, place }) : `${name} is not known to only read`
}

/** Variables of the environment that are no secret. */
const SHOWN =
  /^(?:HOME|PWD|OLDPWD|USER|LOGNAME|PATH|SHELL|LANG|LC_\w+|TERM|TMPDIR|HOSTNAME|COLUMNS|LINES|CI|NODE_ENV|NVM_DIR)$/

/** Why a command may show what is no file: a variable of the environment. `known`: those that the line sets. */
export function whyShown(words: readonly PlainWord[], known: ReadonlySet<string>): string | null {
  const found = words
    .flatMap(({ segments }) => segments)
    .find(each => each.kind === 'variable' && each.name !== null && !known.has(each.name) && !SHOWN.test(each.name))
  return found ? `${found.text} may be a secret` : null
}

/** True if the program is known to run nothing that it is given to read. */
export function takesInput(program: string): boolean {
  return READERS.has(program) || program === 'git' || program === 'find' || program === 'xargs' || program === 'read'
}

type Check = (words: readonly PlainValue[], place: ReadingPlace) => string | null

const SPECIAL: Readonly<Record<string, Check>> = {
  cd: ([to, ...more], place) => (more.length > 0 ? 'cd has too many operands' : whyNotBelow(to ?? null, place)),
  read: words => (words.every(isName) ? null : 'read sets what is not a plain name'),
  set: words =>
    words.length > 0 && words.every(each => /^[-+](?:[eux]+|[eu]*o)$|^pipefail$/.test(literal(each) ?? '$'))
      ? null
      : 'set changes words',
  find: whyFindDoesMore,
  git: whyGitDoesMore,
  xargs: whyXargsDoesMore,
  test: whyTestDoesMore,
  '[': whyTestDoesMore,
}

function isName(word: PlainValue): boolean {
  return /^(?:-r|[a-z_]\w*)$/.test(literal(word) ?? '$')
}

function whyNotBelow(to: PlainValue, place: ReadingPlace): string | null {
  const text = literal(to)
  if (text === null || text === '-') return 'cd leads to a directory that is not known'
  return text.startsWith('-') ? `cd ${text} is not known to stay inside` : whyOutside(to, place)
}

function whyNotByTable(name: string, reader: Reader, { words, place }: Use): string | null {
  const { flags, operands } = sorted(words, reader)
  const odd = oddWord(reader, flags, operands)
  if (odd !== undefined) return `${name} ${odd ?? 'with unknown text'} is not known to only read`
  if (operands.length > MOST_OPERANDS[reader.operands]) return `${name} may write to its operand`
  const paths =
    reader.operands === 'text' ? operands.filter(isExpanded) : operands.slice(reader.operands === 'after' ? 1 : 0)
  const searches =
    flags.some(flag => reader.searches?.test(flag ?? '')) && !flags.some(flag => LEAVES_OUT.test(flag ?? ''))
  if (searches && comesByRecords(paths, place)) return `${name} comes by ${RECORDS}: name a directory`
  return firstOutside(paths, place)
}

/** The folder's files are for no agent: tokens and keys are among them. */
const RECORDS = '.holdpoint'
const LEAVES_OUT = /^--exclude-dir=\.\*$/

function comesByRecords(paths: readonly PlainValue[], { directories }: ReadingPlace): boolean {
  const starts = paths.length === 0 ? [''] : paths.map(literal)
  return starts.some(start => directories.some(each => start === null || isThere(resolve(each, start, RECORDS))))
}

/** An option or a first operand by which the program may do more; `null` if its text is not known. */
function oddWord(reader: Reader, flags: readonly (string | null)[], operands: readonly PlainValue[]) {
  const odd = flags.find(flag => flag === null || !reader.flags.test(flag))
  if (odd !== undefined || !reader.first || operands.length === 0) return odd
  const first = literal(operands[0])
  return first !== null && reader.first.test(first) ? undefined : first
}

const MOST_OPERANDS: Record<Reader['operands'], number> = { text: 1e9, paths: 1e9, after: 1e9, one: 1, none: 0 }

interface Use {
  readonly words: readonly PlainValue[]
  readonly place: ReadingPlace
}

/** Options, `null` for what may be any, and the words that are none. */
function sorted(words: readonly PlainValue[], reader: Reader) {
  const flags: (string | null)[] = []
  const operands: PlainValue[] = []
  const end = words.findIndex(word => literal(word) === '--')
  const before = end < 0 ? words : words.slice(0, end)
  for (let at = 0; at < before.length; at++) {
    const word = before[at] ?? null
    const isOperand = !mayBeFlag(word) || isText(word, reader, operands.length)
    if (isOperand) operands.push(word)
    else flags.push(literal(word))
    if (reader.takes?.test(literal(word) ?? '')) at++
  }
  return { flags, operands: [...operands, ...words.slice(before.length + 1)] }
}

/** The shell looks for files of that name. */
function isExpanded(word: PlainValue): boolean {
  return word?.some(({ text, isPattern }) => isPattern || text.startsWith('~')) ?? false
}

/** True for an unknown word that may be an operand of text. */
function isText(word: PlainValue, { operands, first }: Reader, before: number): boolean {
  return word === null && operands === 'text' && (before > 0 || !first)
}

/** `[ "$X" = y ]` looks at no file. */
function whyTestDoesMore(words: readonly PlainValue[], place: ReadingPlace): string | null {
  const texts = words.map(literal)
  const signs = texts.filter(text => text !== null && /^(?:-[a-zA-Z]{1,2}|[=!]=?)$/.test(text))
  if (signs.every(text => TEXT_TESTS.test(text ?? ''))) return null
  if (!signs.every(text => TEXT_TESTS.test(text ?? '') || FILE_TESTS.test(text ?? ''))) return 'test evaluates a name'
  const others = words.filter((_, at) => !signs.includes(texts[at] ?? null) && texts[at] !== ']')
  return firstOutside(others, place)
}

function mayBeFlag(value: PlainValue): boolean {
  return value === null || value.some(({ text }) => /^(?:-.|$)/s.test(text))
}

function whyFindDoesMore(words: readonly PlainValue[], place: ReadingPlace): string | null {
  const at = words.findIndex(word => word === null || /^[-(!]/.test(literal(word) ?? '-'))
  const starts = at < 0 ? words : words.slice(0, at)
  const outside = firstOutside(starts, place)
  if (outside) return outside
  for (let next = starts.length; next < words.length; next++) {
    const text = literal(words[next])
    if (text !== null && FIND_TESTS.test(text) && literal(words[next + 1]) !== null) next++
    else if (text === null || !FIND_ALONE.test(text))
      return `find ${text ?? 'by unknown text'} is not known to only read`
  }
  return null
}

/** Settings of a repository name programs; also a bare one is found by its files. */
function isRepository(directory: string): boolean {
  return ['.git', 'HEAD'].some(name => isThere(resolve(directory, name)))
}

function whyGitDoesMore(words: readonly PlainValue[], place: ReadingPlace): string | null {
  const [verb, ...rest] = literal(words[0]) === '--no-pager' ? words.slice(1) : words
  const name = literal(verb) ?? ''
  const flags = Object.hasOwn(GIT_READERS, name) ? GIT_READERS[name] : undefined
  if (!flags) return `git ${name} is not known to only read`
  if (place.directories.slice(1).some(isRepository)) return 'another repository says what git runs there'
  return whyNotByTable(`git ${name}`, { flags, operands: 'paths' }, { words: rest, place })
}

/**
 * True if the output of a find is names of files inside, and reaches xargs unchanged: with a NUL after each, or if no
 * name has a character at which xargs would split it.
 */
function isListed(
  before: readonly PlainValue[] | undefined,
  flags: readonly PlainValue[],
  place: ReadingPlace,
): boolean {
  const words = before?.map(literal) ?? []
  if (words[0] !== 'find' || words.includes('-printf') || whyFindDoesMore(before?.slice(1) ?? [], place) !== null)
    return false
  const isWhole = flags.some(word => literal(word)?.includes('0'))
  if (words.includes('-print0') !== isWhole) return false
  const end = words.findIndex((text, at) => at > 0 && /^[-(!]/.test(text ?? '-'))
  const starts = words.slice(1, end < 0 ? words.length : end)
  const bases = place.directories.flatMap(each =>
    starts.length === 0 ? [each] : starts.map(start => resolve(each, start ?? '')),
  )
  return bases.every(base => holdsPlainFiles(base, isWhole ? WHOLE : SPLIT))
}

/** Names that xargs takes for one, by how it splits them. */
const WHOLE = /^/
const SPLIT = /^[\w.@+~,=:%-]+$/

/** True if nothing below is a link, or a record of Holdpoint. */
function holdsPlainFiles(directory: string, names: RegExp): boolean {
  const open = [directory]
  for (let seen = 0, next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of readDirectory(next)) {
      seen++
      if (seen > MOST_ENTRIES || entry.isSymbolicLink() || entry.name === RECORDS || !names.test(entry.name))
        return false
      if (entry.isDirectory()) open.push(resolve(next, entry.name))
    }
  }
  return true
}

function readDirectory(directory: string): Dirent[] {
  return lstatSync(directory, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(directory, { withFileTypes: true })
    : []
}

function whyXargsDoesMore(words: readonly PlainValue[], place: ReadingPlace): string | null {
  const at = words.findIndex(word => !/^-(?:0|r|t|n\d+|P\d+)+$/.test(literal(word) ?? ''))
  if (at < 0 || !isListed(place.before, words.slice(0, at), place)) return 'xargs may hand on paths outside'
  const [program = null, ...rest] = words.slice(at)
  const isKnown = ['cat', 'head', 'tail', 'wc', 'grep', 'rg', 'ls', 'stat', 'du', 'sed'].includes(
    literal(program) ?? '',
  )
  return isKnown ? whyNotReading([program, ...rest], place) : 'xargs runs another program'
}

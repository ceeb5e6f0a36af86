import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { extname, join, resolve, sep } from 'node:path'
import { programName } from './command-wrappers.ts'
import { PROTECTED } from './mentions-protected.ts'
import type { ReadWord } from './words/read-word.ts'

type Texts = readonly string[]

/** How a program that goes through directories is read: its options of its own, and where it begins. */
interface Searcher {
  readonly name: RegExp
  /** False if these options keep it out of directories with a leading dot. */
  readonly seesHidden: (words: Texts) => boolean
  readonly starts: (words: Texts) => Texts
  /** True if it passes over all that Holdpoint keeps there. */
  readonly isNarrow: (words: Texts, kept: Texts) => boolean
}

const FIND_EXPRESSION = /^(-(?![HLP]$|O\d?$).+|[(!,])$/s
const GREP_TAKES_VALUE =
  /^-[A-Za-z]*[ABCmefdDgt]$|^--(include|exclude|exclude-dir|regexp|file|max-count|context|glob|type)$/
const FD_TAKES_VALUE = /^-[A-Za-z]*[tedEScoj]$|^--(type|extension|max-depth|min-depth|exclude|size|color|threads)$/
const GREP_PATTERN = /^-[A-Za-z]*[ef]|^--(regexp|file)/

const SEARCHERS: readonly Searcher[] = [
  { name: /^g?find$/, seesHidden: () => true, starts: findStarts, isNarrow: isNarrowFind },
  {
    name: /^[efr]?grep$/,
    seesHidden: words => words.some(word => /^(-[A-Za-z]*[rR]|--(dereference-)?recursive)/.test(word)),
    starts: grepStarts,
    isNarrow: isNarrowGrep,
  },
  {
    name: /^fd(find)?$/,
    seesHidden: words => words.some(word => /^(-[A-Za-z]*[Hu]|--(hidden|unrestricted))/.test(word)),
    starts: fdStarts,
    isNarrow: (words, kept) => hasValue(words, /^(-e|--extension)$/, value => cannotName(`*.${value}`, kept)),
  },
  {
    name: /^(rg|ag)$/,
    seesHidden: words => words.some(word => /^(-[A-Za-z]*\.|-[A-Za-z]*u[A-Za-z]*u|--hidden|--unrestricted)/.test(word)),
    starts: grepStarts,
    isNarrow: (words, kept) => hasValue(words, /^(-t|--type)$/, value => cannotName(`*.${value}`, kept)),
  },
  {
    name: /^ls$/,
    seesHidden: words => words.some(word => /^-[A-Za-z0-9]*[aA]|^--(almost-)?all/.test(word)),
    starts: words => words.filter(word => !word.startsWith('-')),
    isNarrow: () => false,
  },
]

export interface SearchPlace {
  /** The directory of the run. */
  readonly workdir: string
  /** Where the search runs. */
  readonly from: string
}

const CHANGES_DIRECTORY = /^\s*cd\s+([\w./][\w./-]*)\s*&&(.*)$/s
const IN_SUBSHELL = /^\s*\(([^()]*)\)\s*$/
const CHANGES_AT_END = /&&\s*cd\s+[\w./-]+\s*$/

/** `cd DIR && …` runs in that directory, if it is there and nothing changes it again before the end. */
export function placeOf(text: string, workdir: string): SearchPlace {
  const inner = IN_SUBSHELL.exec(text)?.[1] ?? text
  const [, to, rest = ''] = CHANGES_DIRECTORY.exec(inner.replace(CHANGES_AT_END, '')) ?? []
  if (to === undefined || /\b(cd|pushd|popd)\b/.test(rest)) return { workdir, from: workdir }
  try {
    const from = realpathSync(resolve(workdir, to))
    if (statSync(from).isDirectory()) return { workdir: existsSync(workdir) ? realpathSync(workdir) : workdir, from }
  } catch {
    // A change of directory that fails changes nothing.
  }
  return { workdir, from: workdir }
}

/** True if the words are a search that comes by `.holdpoint/`: from the directory of the run, or from one above it. */
export function searchesRecords(words: readonly ReadWord[], { workdir, from }: SearchPlace): boolean {
  const [program = '', ...rest] = words.map(({ text }) => text)
  const searcher = SEARCHERS.find(({ name }) => name.test(programName(program)))
  if (!searcher?.seesHidden(rest)) return false
  const starts = searcher.starts(rest)
  const comesBy = (starts.length === 0 ? ['.'] : starts).some(start => isAbove(start, { workdir, from }))
  return comesBy && !searcher.isNarrow(rest, keptIn(workdir))
}

const HERE = /^"?\$(\{?PWD\}?|\(pwd\))"?\/?$/

function isAbove(start: string, { workdir, from }: SearchPlace): boolean {
  const path = HERE.test(start) ? from : resolve(from, start)
  return workdir === path || workdir.startsWith(path.endsWith(sep) ? path : path + sep)
}

function findStarts(words: Texts): Texts {
  const end = words.findIndex(word => FIND_EXPRESSION.test(word))
  return words.slice(0, end < 0 ? words.length : end).filter(word => !word.startsWith('-'))
}

function grepStarts(words: Texts): Texts {
  const operands = words.filter((word, at) => !word.startsWith('-') && !GREP_TAKES_VALUE.test(words[at - 1] ?? ''))
  return words.some(word => GREP_PATTERN.test(word)) ? operands : operands.slice(1)
}

function fdStarts(words: Texts): Texts {
  const end = words.findIndex(word => /^(-[xX]|--exec)/.test(word))
  const own = words.slice(0, end < 0 ? words.length : end)
  return own.filter((word, at) => !word.startsWith('-') && !FD_TAKES_VALUE.test(own[at - 1] ?? '')).slice(1)
}

function hasValue(words: Texts, option: RegExp, isWanted: (value: string) => boolean): boolean {
  return words.some((word, at) => option.test(word) && isWanted(words[at + 1] ?? ''))
}

/** Endings of what is kept there, and the names of its folders. */
const KEPT = ['.json', '.jsonc', '.md', '.yaml', '.yml', '.db', '.db-wal', '.db-shm', '.gitignore', '.sock', '.lock']
const FOLDERS = /^\.?(holdpoint|agents|session|pauses|inputs|worktrees|tasks)$/i

/** An agent may be a module: then its ending counts, too. */
function keptIn(workdir: string): Texts {
  try {
    return [...KEPT, ...readdirSync(join(workdir, PROTECTED, 'agents')).map(file => extname(file).toLowerCase())]
  } catch {
    return KEPT
  }
}

/** True if no file of Holdpoint's own has a name that the pattern covers. */
function cannotName(pattern: string | undefined, kept: Texts): boolean {
  if (pattern === undefined || /[?[{\\$`]/.test(pattern)) return false
  const tail = pattern.slice(pattern.lastIndexOf('*') + 1).toLowerCase()
  if (!pattern.includes('*')) return !FOLDERS.test(tail) && !kept.some(ending => `.${tail}`.endsWith(ending))
  return !kept.some(ending => ending.endsWith(tail) || tail.endsWith(ending))
}

/** `./.*`, `.?*`, `*\/.*`: all names with a leading dot. */
function coversHidden(pattern: string | undefined): boolean {
  return pattern !== undefined && /^(\.\/|\*\/|\*\*\/)?\\?\.\??\*(\/\*)?$/.test(pattern)
}

function isNarrowGrep(words: Texts, kept: Texts): boolean {
  const valuesOf = (option: string) =>
    words.flatMap((word, at) => {
      if (word === option) return words[at + 1] ?? ''
      return word.startsWith(`${option}=`) ? word.slice(option.length + 1) : []
    })
  const included = valuesOf('--include')
  return (
    (included.length > 0 && included.every(each => cannotName(each, kept))) ||
    valuesOf('--exclude-dir').some(coversHidden)
  )
}

const NAMED = /^-i?name$/
const AT_PATH = /^-(i?path|i?wholename)$/
const ACTS = /^-(exec|execdir|ok|okdir|delete)$/

/** Each alternative of its expression must be narrow: `-name '*.ts' -o -type f` is not. */
function isNarrowFind(words: Texts, kept: Texts): boolean {
  const alternatives = [[]] as string[][]
  for (const word of words) {
    if (/^-(o|or)$|^,$/.test(word)) alternatives.push([])
    else alternatives.at(-1)?.push(word)
  }
  return alternatives.some(prunesHidden) || alternatives.every(each => isNarrowAlternative(each, kept))
}

function prunesHidden(words: Texts): boolean {
  return words.includes('-prune') && words.some((word, at) => isPattern(word) && coversHidden(words[at + 1]))
}

function isPattern(word: string): boolean {
  return NAMED.test(word) || AT_PATH.test(word)
}

function isNarrowAlternative(words: Texts, kept: Texts): boolean {
  if (words.includes('-prune') && !words.some(word => ACTS.test(word))) return true
  if (isShallow(words) || words.includes('-empty')) return true
  return words.some((word, at) => {
    const isNegated = /^(!|-not)$/.test(words[at - 1] ?? '')
    const pattern = words[at + 1]
    if (isNegated) return AT_PATH.test(word) && coversHidden(pattern)
    return (isPattern(word) && cannotName(pattern, kept)) || (AT_PATH.test(word) && /^(\.\/)?[\w-]/.test(pattern ?? ''))
  })
}

/** Only what lies in the directory itself, or links and devices. */
function isShallow(words: Texts): boolean {
  const depth = words[words.indexOf('-maxdepth') + 1]
  const type = words.find((_, at) => /^-x?type$/.test(words[at - 1] ?? '')) ?? ''
  if (/^[lpbcs]$/.test(type)) return true
  return words.includes('-maxdepth') && (depth === '0' || (depth === '1' && type === 'f'))
}

import { existsSync, realpathSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { programName } from './command-wrappers.ts'
import { PROTECTED } from './mentions-protected.ts'
import { cannotName, keptIn } from './settings/kept-records.ts'
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
    name: /^[ef]?grep$/,
    seesHidden: words =>
      words.some(word =>
        /^(-[A-Za-z]*[rR]|--(dereference-)?recursive|(-[A-Za-z]*d|--directories=)?recurse$)/.test(word),
      ),
    starts: grepStarts,
    isNarrow: isNarrowGrep,
  },
  { name: /^rgrep$/, seesHidden: () => true, starts: grepStarts, isNarrow: isNarrowGrep },
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
    isNarrow: (words, kept) =>
      hasValue(words, /^(-t|--type)$/, value => cannotName(`*.${value}`, kept)) &&
      !words.some((word, at) => /^(-g|--i?glob)$/.test(words[at - 1] ?? '') && !word.startsWith('!')) &&
      !words.some(word => /^(-g|--i?glob=)[^!]/.test(word)),
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
  return comesBy && !searcher.isNarrow(rest, keptIn(join(workdir, PROTECTED)))
}

/** The directory of the search by another name, at the beginning of a path. */
const HERE = /^"?(\$PWD|\$\{PWD[^}]*\}|\$\(pwd\)|`pwd`|\$\(git rev-parse --show-toplevel\)|~\+)"?(?=\/|$)/

function isAbove(start: string, { workdir, from }: SearchPlace): boolean {
  const paths = inBraces(start).map(each => resolve(from, each.replace(HERE, '.')))
  return paths.some(path => isAtOrAbove(path, workdir) || isAtOrAbove(real(path), real(workdir)))
}

function isAtOrAbove(path: string, workdir: string): boolean {
  return workdir === path || workdir.startsWith(path.endsWith(sep) ? path : path + sep)
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** `{.,src}`: each of its alternatives. */
function inBraces(word: string): Texts {
  const [, before = '', inside, behind = ''] = /^([^{$]*)\{([^{}]*,[^{}]*)\}([^{}]*)$/.exec(word) ?? []
  return inside === undefined ? [word] : inside.split(',').map(each => before + each + behind)
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

/** True if the option is there, and each of its values is wanted. */
function hasValue(words: Texts, option: RegExp, isWanted: (value: string) => boolean): boolean {
  const values = words.flatMap((word, at) => (option.test(word) ? (words[at + 1] ?? '') : []))
  return values.length > 0 && values.every(isWanted)
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
  for (const word of withoutNegated(words)) {
    if (/^-(o|or)$|^,$/.test(word)) alternatives.push([])
    else alternatives.at(-1)?.push(word)
  }
  return alternatives.some(prunesHidden) || alternatives.every(each => isNarrowAlternative(each, kept))
}

/** The words without what `! ( … )` leaves out. */
function withoutNegated(words: Texts): Texts {
  const begin = words.findIndex((word, at) => /^(!|-not)$/.test(word) && words[at + 1] === '(')
  if (begin < 0) return words
  let depth = 1
  let end = begin + 2
  for (; end < words.length && depth > 0; end++) depth += stepInto(words[end])
  return [...words.slice(0, begin), ...withoutNegated(words.slice(end))]
}

function stepInto(word: string | undefined): number {
  return word === '(' ? 1 : word === ')' ? -1 : 0
}

const PRUNES = /^(-prune|-i?name|-i?path|-i?wholename|-type|d|\(|\))$/

/** Nothing but the pattern may decide what is pruned. */
function prunesHidden(words: Texts): boolean {
  const end = words.indexOf('-prune')
  const tests = words.slice(
    words.findIndex(word => FIND_EXPRESSION.test(word)),
    end,
  )
  const isValue = (at: number) => isPattern(tests[at - 1] ?? '') && coversHidden(tests[at])
  return end >= 0 && tests.some((_, at) => isValue(at)) && tests.every((word, at) => PRUNES.test(word) || isValue(at))
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
  const depth = words[words.lastIndexOf('-maxdepth') + 1]
  const type = words.find((_, at) => /^-x?type$/.test(words[at - 1] ?? '')) ?? ''
  if (/^[lpbcs]$/.test(type)) return true
  const isNamed = words.some((word, at) => NAMED.test(word) && cannotName(words[at + 1], [`${PROTECTED}`]))
  return words.includes('-maxdepth') && (depth === '0' || (depth === '1' && (type === 'f' || isNamed)))
}

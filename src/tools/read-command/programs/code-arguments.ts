import { literalWord, type ReadWord } from '../text/read-word.ts'
import type { ReadCommand } from '../text/script-reading.ts'
import { onlyPrints } from './little-languages.ts'
import { programName } from './programs.ts'

/** The input by a path, from wherever the command runs. */
const IS_INPUT = /(?:^|\/)(?:dev|proc)(?:\/|$)|(?:^|\/)stdin$|(?:^|\/)fd\/\d+$/

/** Options that run code: of the next word, or of the same one. */
const CODE_OPTIONS: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^py/, /^-[A-Za-z]*?c(.*)$/s],
  [/^perl/, /^-(?![MmI])[A-Za-z0-9.]*?[eE](.*)$/s],
  [/^(?:node|tsx|ts-node|bun|deno)/, /^-[A-Za-z]*?[ep](?![a-z-])(.*)$|^--(?:eval|print)(.*)$|^-pe(.*)$|^eval()$/s],
  [/^php/, /^-[rRBE](.*)$|^--(?:run|process)[-\w]*(.*)$/s],
  [/^/, /^-[A-Za-z]*?[eE](.*)$|^--(?:eval|execute|expr)[-\w]*(.*)$/s],
]
/** Options by which an interpreter runs something else than a file: a module, settings, a preprocessor, what it reads. */
const RUNS_ELSE =
  /^-[A-Za-z0]*[MmxFd]|^-[lgC]|^--(?:env-file(?!=\.env)|process|experimental-(?:default-)?config|openssl-conf|build-snapshot)/
/** Options that load a module; by a path, or by text, it is not known which. */
const LOADS_MODULE = /^(?:-r|--(?:require|import|loader|experimental[-_]loader))(?:=|$)/
const BY_PATH = /^(?:--[\w-]+=)?\s*(?:[./~$]|(?!node:)[a-z]+:)/i
/** Options of one interpreter by which it reads on, or looks for the file along the search path. */
const STAYS: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:py|node)/, /^-[A-Za-z]*i/],
  [/^ruby/, /^-[A-Za-z]*S/],
]
/** No value follows; of any other option one may. */
const ALONE =
  /^-[BdEhiIOqsSuvVxbPlnpaw0-9.]+$|=|^--(?:test|watch|no-[\w-]+|experimental-[\w-]+|enable-[\w-]+|trace-[\w-]+|expose-gc|check)$/
/** `python -v` only makes a run verbose. */
const VERSION = /^\S+ (?:--?(?:version|help)|-[Vh])$|^(?!py)\S+ -v$/

/** True if an interpreter runs anything but a file that is named. */
export function runsCode(name: string, words: readonly ReadWord[]): boolean {
  const { code, operand, isUnread } = readCodeArguments(programName(name), words)
  return isUnread || code.some(({ text }) => text !== '') || (code.length === 0 && operand === null)
}

interface Around {
  /** Where it runs, if that is known. */
  readonly directory: string | null
  /** Some of its words come from elsewhere. */
  readonly fed: boolean
  readonly command: Pick<ReadCommand, 'fed' | 'input'>
}

interface Code {
  /** True if the program runs code that policy does not read. */
  readonly isUnread: boolean
  readonly fromElsewhere: boolean
}

/** The code that an interpreter runs, by the words after its name and by its input. */
export function readCode(name: string, words: readonly ReadWord[], { directory, fed, command }: Around): Code {
  const { code, operand, isUnread } = readCodeArguments(name, words)
  const isKnown = code.every(each => each.literal && onlyPrints(name, each.text, directory))
  const isOpen = isUnread || !isKnown || operand?.literal === false
  const fromInput = operand === null || operand.text === '-' || IS_INPUT.test(operand.text)
  if (!fromInput || code.length > 0 || isUnread) return { isUnread: isOpen === true, fromElsewhere: false }
  const fromElsewhere = fed || readsUnknown(command, operand !== null)
  const text = command.input.map(word => word?.text ?? '').join('\n')
  return { isUnread: !fromElsewhere && !onlyPrints(name, text, directory), fromElsewhere }
}

/** True if what a command reads is not known; `otherwise`: if it is given nothing. */
export function readsUnknown({ input, fed }: Around['command'], otherwise = false): boolean {
  return input.length === 0 ? fed || otherwise : !input.every(word => word?.literal)
}

interface CodeArguments {
  readonly code: readonly ReadWord[]
  /** The file that runs; `null` if none is named. */
  readonly operand: ReadWord | null
  readonly isUnread: boolean
}

/** The code among the words after an interpreter. */
function readCodeArguments(name: string, words: readonly ReadWord[]): CodeArguments {
  const option = CODE_OPTIONS.find(([program]) => program.test(name))?.[1] ?? /^(?!)/
  const own = ownWords(words, option)
  const options = words.slice(0, own)
  if (words.length === 1 && VERSION.test(`${name} ${words[0]?.text}`))
    return { code: [literalWord('')], operand: null, isUnread: false }
  const codes = options.flatMap(({ text }, at) =>
    option.test(text) ? [{ rest: restOf(text, option), next: options[at + 1] }] : [],
  )
  const others = options.filter(({ text }) => text.startsWith('-') && !option.test(text))
  const isElse = others.some(
    ({ text }) => RUNS_ELSE.test(text) || STAYS.find(([program]) => program.test(name))?.[1].test(text),
  )
  // Perl opens an operand that ends with a pipe.
  const isOpened = name.startsWith('perl') && words.slice(own).some(({ text }) => /[|<>]/.test(text))
  const isOpen = options.some(({ literal }) => !literal)
  const isUnread =
    isElse || isOpened || isOpen || loadsByPath(options) || codes.some(({ rest, next }) => rest !== '' || !next)
  const [first, second] = words.slice(own)
  return {
    code: codes.flatMap(({ next }) => next ?? []),
    operand: (first?.text === '--' ? second : first) ?? null,
    isUnread,
  }
}

function loadsByPath(options: readonly ReadWord[]): boolean {
  return options.some(({ text }, at) => {
    return LOADS_MODULE.test(text) && (BY_PATH.test(text) || BY_PATH.test(options[at + 1]?.text ?? ''))
  })
}

function restOf(text: string, option: RegExp): string {
  const [, ...rest] = option.exec(text) ?? []
  return rest.find(each => each !== undefined) ?? ''
}

/** How many of the words are options, with what may be their values. */
function ownWords(words: readonly ReadWord[], option: RegExp): number {
  const texts = words.map(({ text }) => text)
  const end = texts.findIndex(
    (text, at) => text === '--' || (!isOption(text, option) && !mayTakeNext(texts[at - 1], option)),
  )
  return end < 0 ? texts.length : end
}

function isOption(text: string, option: RegExp): boolean {
  return option.test(text) || /^-./s.test(text)
}

function mayTakeNext(text: string | undefined, option: RegExp): boolean {
  if (text === undefined || !isOption(text, option)) return false
  return option.test(text) ? restOf(text, option) === '' : !ALONE.test(text)
}

/**
 * Text that bash evaluates although no command shows it: arithmetic and subscripts evaluate the content of variables,
 * with the substitutions in it, and builtins evaluate the names they are given.
 */

import type { ArrayValue, Assignment, Command, CommandArgument, SyntaxNode, Word, WordPart } from 'unbash'
import { type ReadWord, readWord } from './read-word.ts'
import { runsByName } from './unread-variables.ts'

/** Builtins that take names of variables; some only in the word after `-v`. */
const TAKES_NAMES = /^(?:read|unset|declare|typeset|local|getopts|mapfile|readarray|wait|let)$/
const TAKES_NAME_BEHIND_V = /^(?:printf|test|\[)$/
/** Builtins that give what they read to the variables that they name. */
const GIVES_TEXT = /^(?:read|mapfile|readarray|getopts|printf)$/
/** `declare -i` evaluates values, `declare -n` makes one the name of another variable. */
const EVALUATES = /^-[A-Za-z]*[in]/
/** Variables whose values bash calculates. */
const CALCULATED = /^(?:RANDOM|SECONDS|OPTIND|HISTCMD|LINENO)$/
const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/
const NAMES = /[A-Za-z_]\w*/g

/** True if it evaluates what may be anything: a parameter, what a command prints, or a variable that holds such text. */
export function evaluatesText(nodes: readonly SyntaxNode[]): boolean {
  const evaluation = new Evaluation(nodes)
  for (const node of nodes) NOTING[node.type]?.(evaluation, node as never)
  return evaluation.isOpen()
}

type Evaluated = Pick<Word, 'value' | 'parts'>

class Evaluation {
  /** Variables that are evaluated. */
  readonly names = new Set<string>()
  /** Variables that may hold text. */
  readonly texts = new Set<string>()
  isForeign = false
  /** The programs that are other ones here. */
  readonly #functions: ReadonlySet<string>

  constructor(nodes: readonly SyntaxNode[]) {
    this.#functions = new Set(nodes.flatMap(node => (node.type === 'Function' ? node.name.value : [])))
  }

  isOpen(): boolean {
    return this.isForeign || this.names.has('_') || [...this.names].some(name => this.texts.has(name))
  }

  evaluate(word: Evaluated | undefined): void {
    if (word?.parts) for (const part of partsOf(word)) this.#evaluatePart(part)
    else if (word) this.evaluateText(word.value)
  }

  evaluateText(text: string): void {
    for (const name of text.match(NAMES) ?? []) this.names.add(name)
    if (/`|\$(?!\{?[A-Za-z_]\w*\}?$|#)/.test(text)) this.isForeign = true
  }

  #evaluatePart(part: WordPart): void {
    const name = variableOf(part)
    if (name !== null) this.names.add(name)
    else if (!this.#isNumberPart(part)) this.isForeign = true
  }

  /** A variable is set to text that is not known. */
  set(name: string): void {
    this.texts.add(name)
    if (CALCULATED.test(name) || runsByName(name)) this.isForeign = true
  }

  assign({ name, value, index }: Assignment): void {
    this.evaluate(index)
    if (this.isNumber(value)) return
    this.texts.add(name)
    if (CALCULATED.test(name)) this.isForeign = true
  }

  isNumber(value: Word | ArrayValue): boolean {
    if (value.type === 'ArrayValue') return value.elements.every(element => this.isNumber(element))
    return value.parts ? partsOf(value).every(part => this.#isNumberPart(part)) : /^-?\d*$/.test(value.value)
  }

  #isNumberPart(part: WordPart): boolean {
    if (part.type === 'Literal') return /^[-\d]*$/.test(part.value)
    if (part.type === 'SimpleExpansion') return /^\$[#?]$/.test(part.text)
    if (part.type === 'ParameterExpansion') return part.prefix === '#'
    return part.type === 'ArithmeticExpansion' || (part.type === 'CommandExpansion' && this.#counts(part.text))
  }

  #counts(text: string): boolean {
    return COUNTS.test(text) && !COUNTERS.some(name => this.#functions.has(name))
  }
}

type Noting = {
  readonly [T in SyntaxNode['type']]?: (found: Evaluation, node: Extract<SyntaxNode, { type: T }>) => void
}

const NOTING: Noting = {
  ArithmeticWord: (found, node) => found.evaluate(node),
  ArithmeticCommandExpansion: (found, node) =>
    found.evaluate({ value: '', parts: [{ ...node, type: 'CommandExpansion' }] }),
  ArithmeticExpansion: (found, { expression, text }) => noteUnread(found, expression, text),
  ArithmeticCommand: (found, { expression, body }) => noteUnread(found, expression, body),
  Assignment: (found, node) => found.assign(node),
  Command: noteCommand,
  For: (found, { name, wordlist = [name] }) => noteLoop(found, name, wordlist),
  Select: (found, { name }) => noteLoop(found, name, [name]),
  ParameterExpansion: (found, { index }) => (/^[@*]$/.test(index?.value ?? '@') ? undefined : found.evaluate(index)),
  Slice(found, { offset, length }) {
    found.evaluate(offset)
    found.evaluate(length)
  },
  TestBinary(found, { operator, left, right }) {
    if (COMPARES.test(operator)) for (const word of [left, right]) found.evaluate(word)
  },
  TestUnary(found, { operator, operand }) {
    if (operator === '-v' && !readWord(operand).literal) found.isForeign = true
  },
}

function noteUnread(found: Evaluation, expression: unknown, text: string): void {
  if (!expression && /\w/.test(text)) found.isForeign = true
}

function noteLoop(found: Evaluation, name: Word, words: readonly Word[]): void {
  const isCounted = words.every(({ text }) => /^(?:\d+|\{\d+\.\.\d+\}|\$\(seq [\d ]+\))$/.test(text))
  if (!isCounted) found.set(name.value)
}

function noteCommand(found: Evaluation, { name, args }: Command): void {
  const program = name?.value ?? ''
  const words = args.map(readWord)
  if (GIVES_TEXT.test(program)) for (const { text } of words) found.set(text)
  if (words.some((word, at) => isUnknownName(program, word, words[at - 1]?.text ?? ''))) found.isForeign = true
  const isDeclared = /^(?:declare|typeset|local)$/.test(program) && words.some(({ text }) => EVALUATES.test(text))
  if (program === 'let' || isDeclared) for (const arg of args) noteArgument(found, arg)
}

function isUnknownName(program: string, { literal, pieces: [start = ''] }: ReadWord, before: string): boolean {
  if (literal || start.includes('=')) return false
  if (/^(?:export|readonly)$/.test(program)) return true
  const isName = TAKES_NAME_BEHIND_V.test(program)
    ? before === '-v'
    : TAKES_NAMES.test(program) && !/^-[a-z]$/.test(before)
  return isName && start === ''
}

function noteArgument(found: Evaluation, argument: CommandArgument): void {
  if (argument.type === 'Word') found.evaluateText(argument.value)
  else if (!found.isNumber(argument.value)) found.isForeign = true
}

function partsOf({ parts = [] }: Evaluated): readonly WordPart[] {
  return parts.flatMap((each): readonly WordPart[] => (each.type === 'DoubleQuoted' ? each.parts : [each]))
}

function variableOf(part: WordPart): string | null {
  if (part.type === 'ParameterExpansion' && !part.operation && !part.index && !part.prefix) return part.parameter
  const name = part.type === 'Literal' ? part.value : part.type === 'SimpleExpansion' ? part.text.slice(1) : ''
  return /^[A-Za-z_]\w*$/.test(name) ? name : null
}

/** Substitutions that print a number and nothing else. */
const COUNTS = new RegExp(
  String.raw`^\$\(\s*(?:date (?:-\w )?\+["']?%s(?:%N|%3N)?["']?|nproc|wc -[lcwm] *<\s*["']?[\w./$-]+["']?|` +
    String.raw`(?:grep -\w*c\w* (?:'[^'\n]*'|"[^"$\x60\n]*"|[\w.-]+)(?: ["']?[\w./-]+["']?)?)|` +
    String.raw`(?:[^()\x60;&\n|]|2>&1|\|(?!\|)){0,400}\|\s*(?:wc -[lcwm]|grep -c (?:'[^'\n]*'|"[^"$\x60\n]*"|[\w.-]+)))\s*(?:2>\/dev\/null\s*)?(?:\|\|\s*(?:true|echo 0)\s*)?\)$`,
)
const COUNTERS = ['date', 'nproc', 'wc', 'grep', 'echo', 'true', 'seq']

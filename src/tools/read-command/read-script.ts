import type { Assignment, Command, HereDoc, ParsedScript, SyntaxNode, Word } from 'unbash'
import { messageOf } from '../../core/errors.ts'
import { textMentionsProtected, wordMentionsProtected } from './mentions-protected.ts'
import { commandOfOptions, isRunByName, runsUnread, runsWhatItHolds } from './settings/unread-variables.ts'
import type { FoundScript } from './words/found-scripts.ts'
import { type Input, isInput, type ReadWord, readInput, readWord, shown } from './words/read-word.ts'
import { holdsSubstitution, holdsTooManySubstitutions } from './words/substitutions.ts'

export type ShellParser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>

export interface ReadCommand {
  /** The program and its arguments. */
  readonly words: readonly ReadWord[]
  /** Nothing but literal words. */
  readonly plain: boolean
  readonly input: readonly Input[]
  /** Something around it, a pipe say, may give it more to read. */
  readonly fed: boolean
}

/** Everything in a piece of shell text that matters to policy. */
export interface ScriptReading {
  /** Every simple command, wherever it stands. */
  readonly commands: ReadCommand[]
  /** The whole text is one simple command in the foreground. */
  readonly single: boolean
  readonly empty: boolean
  /** Text that some shell, or bash in some corner, would run as a script. */
  readonly asides: FoundScript[]
  /** Why it cannot be said what this text runs. */
  readonly problems: string[]
  /** Why it may run what is not in this text. */
  readonly doubts: string[]
  /** The words that name the protected directory. */
  readonly mentions: string[]
}

const SPLIT_WORD = /\S\\\n(?:\\\n)*\S/

interface Around {
  readonly fed: boolean
  /** `*` matches names with a leading dot, too. */
  readonly dotglob: boolean
}

/** Never throws: what the parser does not bear is a problem of the text. */
export function readScript(parser: ShellParser, source: string, around: Around): ScriptReading {
  const reading = emptyReading()
  if (textMentionsProtected(source)) reading.mentions.push(source)
  if (holdsTooManySubstitutions(source)) return { ...reading, problems: ['the command holds too many substitutions'] }
  try {
    const script = parser.parse(source)
    if (SPLIT_WORD.test(source)) reading.problems.push('a line continuation splits a word')
    walk(parser, script, { ...around, reading, source })
    return { ...reading, single: isSingle(script), empty: script.commands.length === 0 }
  } catch (thrown) {
    reading.problems.push(`the command cannot be parsed: ${messageOf(thrown)}`)
    return reading
  }
}

function emptyReading(): ScriptReading {
  const lists = { commands: [], asides: [], problems: [], doubts: [], mentions: [] }
  return { ...lists, single: false, empty: false }
}

interface Notes extends Around {
  readonly reading: ScriptReading
  /** The text to which the node's positions refer. */
  readonly source: string
}

/** By hand instead of by recursion: chains of operators nest as deep as the text is long. */
function walk(parser: ShellParser, script: ParsedScript, notes: Notes): void {
  const open: { readonly node: SyntaxNode; readonly notes: Notes }[] = [{ node: script, notes }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node } = next
    const inside =
      node.type === 'Script' && node.source !== undefined ? { ...next.notes, source: node.source } : next.notes
    note(node, inside)
    parser.forEachChild(node, child => {
      open.push({ node: child, notes: inside.fed || !feeds(node, child) ? inside : { ...inside, fed: true } })
    })
  }
}

/** True if `child` may read what a part of `node` writes, or what `node` is redirected from. */
function feeds(node: SyntaxNode, child: SyntaxNode): boolean {
  switch (node.type) {
    case 'Pipeline':
      return child !== node.commands[0]
    case 'Redirected':
      return node.redirects.some(isInput)
    case 'ProcessSubstitution':
      return node.operator === '>'
    default:
      return node.type === 'Function' || node.type === 'Coproc'
  }
}

type Noting = { readonly [T in SyntaxNode['type']]?: (node: Extract<SyntaxNode, { type: T }>, notes: Notes) => void }

function note(node: SyntaxNode, notes: Notes): void {
  const noting = NOTING[node.type] as ((node: SyntaxNode, notes: Notes) => void) | undefined
  noting?.(node, notes)
}

// If sh and bash read the same text differently, both readings count.
const NOTING: Noting = {
  Script(node: ParsedScript, { reading }) {
    for (const { message } of node.errors ?? []) reading.problems.push(`the command cannot be parsed: ${message}`)
  },
  Command: noteCommand,
  Word: noteWord,
  Assignment: noteAssignment,
  HereDoc: noteHereDoc,
  TestCommand(node, { reading, source }) {
    pushAsides(reading, source.slice(node.pos, node.end).replace(/^\[\[|\]\]$/g, ''))
  },
  TestBinary({ left, right }, { reading }) {
    pushAsides(reading, ...[left.value, right.value].filter(holdsSubstitution))
  },
  TestUnary({ operand }, { reading }) {
    if (holdsSubstitution(operand.value)) pushAsides(reading, operand.value)
  },
  ArithmeticCommand({ body }, { reading }) {
    pushAsides(reading, body)
  },
  ArithmeticExpansion({ text }, { reading }) {
    pushAsides(reading, text.replace(/^\$\(?/, '').replace(/\)$/, ''))
    if (text.startsWith('$[')) reading.problems.push(`shells read ${shown(text)} differently`)
  },
  ExtendedGlob({ pattern }, { reading }) {
    pushAsides(reading, pattern)
  },
  AnsiCQuoted({ text }, { reading }) {
    if (text.includes("\\'")) reading.problems.push(`shells read ${shown(text)} differently`)
  },
  Literal({ text }, { reading }) {
    if (text.includes('$[')) reading.problems.push(`shells read ${shown(text)} differently`)
  },
  CommandExpansion({ text, script }, { reading }) {
    if (text.startsWith('${')) reading.problems.push(`shells read ${shown(text)} differently`)
    if (!script) reading.problems.push(`what ${shown(text)} runs cannot be read`)
  },
  ProcessSubstitution({ text, script }, { reading }) {
    if (!script) reading.problems.push(`what ${shown(text)} runs cannot be read`)
  },
  Transform({ operand }, { reading }) {
    if (operand.value.includes('P')) reading.problems.push('a variable expanded with @P may run what it holds')
  },
}

function pushAsides(reading: ScriptReading, ...texts: string[]): void {
  reading.asides.push(...texts.map(text => ({ text, strict: false })))
}

function noteCommand(node: Command, notes: Notes): void {
  const { reading, source, fed } = notes
  if (hasStrayText(node, source)) reading.problems.push('the command cannot be parsed: unexpected "("')
  const unread = [...node.args, node.name].find(word => word?.type === 'Word' && isReadAsLess(word))
  if (unread) reading.problems.push(`the command cannot be parsed: ${shown(unread.text)}`)
  if (!node.name) return
  const words = [node.name, ...node.args].map(readWord)
  for (const word of words) noteSetting(word, notes)
  const literal = words.every(word => word.literal) && node.suffix.every(part => part.type === 'Word')
  const input = node.redirects.filter(isInput).map(readInput)
  if (input.length > 0 && isExec(words)) reading.problems.push('exec changes what later commands read')
  pushCommand(reading, { words, plain: literal && node.prefix.length === 0, input, fed })
  noteBehind(node, reading)
}

/** The builtin, and not the `exec` of `docker exec`. */
function isExec(words: readonly ReadWord[]): boolean {
  const own = words.find(({ text, literal }) => literal && !/^(builtin|command|time|-.*)$/.test(text))
  return own?.text === 'exec'
}

/** To sh, `a &>f b` are two commands: `a &` and `b >f`. */
function noteBehind({ suffix }: Command, reading: ScriptReading): void {
  const at = suffix.findLastIndex(part => part.type === 'Redirect' && part.operator.startsWith('&'))
  const behind = at < 0 ? [] : suffix.slice(at + 1).filter(part => part.type === 'Word')
  if (behind.length > 0) pushCommand(reading, { words: behind.map(readWord), plain: false, input: [], fed: true })
}

/** `env BASH_ENV=x`, `sudo LD_PRELOAD=x`. */
function noteSetting({ text }: ReadWord, notes: Notes): void {
  const [, name, value = ''] = /^(\w[\w-]*)=(.*)/s.exec(text) ?? []
  if (name !== undefined) noteVariable(name, value, notes)
}

function pushCommand(reading: ScriptReading, command: ReadCommand): void {
  const [program] = command.words
  if (program?.literal === false) reading.problems.push(`which program runs depends on ${shown(program.text)}`)
  reading.commands.push(command)
}

function noteWord(node: Word, { reading, dotglob }: Notes): void {
  // In front of the whole text, which may be long.
  if (wordMentionsProtected(node, dotglob)) reading.mentions.unshift(node.value)
  if (!node.parts && node.text.includes('$[')) reading.problems.push(`shells read ${shown(node.text)} differently`)
}

function noteVariable(name: string, value: string, { reading, source }: Notes): void {
  if (runsUnread(name, value, source)) reading.doubts.push(`${name} names what runs, and policy does not read it`)
  const command = commandOfOptions(name, value)
  if (command !== null) reading.asides.push({ text: command, strict: true })
}

function noteAssignment(node: Assignment, notes: Notes): void {
  const { name, value } = node
  const { reading } = notes
  const problem = runsWhatItHolds(node)
  if (problem !== null) reading.problems.push(problem)
  const texts = value.type === 'Word' ? [value.value] : value.elements.map(element => element.value)
  for (const text of texts) {
    noteVariable(name, text, notes)
    if (isRunByName(name)) reading.asides.push({ text, strict: /\s/.test(text) })
    else if (holdsSubstitution(text)) reading.asides.push({ text, strict: false })
  }
}

function noteHereDoc({ delimiter, closing }: HereDoc, { reading }: Notes): void {
  if (!closing) reading.problems.push('the command cannot be parsed: a here-document is not closed')
  if (delimiter && /[$`\n]/.test(delimiter.text)) reading.problems.push('shells differ on where its here-document ends')
}

/** The parser passes over a misplaced `(`. */
function hasStrayText(node: Command, source: string): boolean {
  const parts = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix].toSorted((a, b) => a.pos - b.pos)
  const gaps = parts.map((part, at) => source.slice(part.end, parts[at + 1]?.pos ?? part.end))
  return gaps.some(gap => gap.includes('(')) || /^(?:[ \t]|\\\n)*\(/.test(source.slice(node.end, node.end + 200))
}

/** The parser takes some words for literal that the shell expands: `eval a=($(b))`. */
function isReadAsLess({ text, parts }: Word): boolean {
  const literal = parts ? parts.flatMap(part => (part.type === 'Literal' ? part.text : [])).join(' ') : text
  return /[`()<>|&;"']|\$[\w({'"@*#?!$-]/.test(literal.replace(/\\[\s\S]/g, ''))
}

function isSingle({ commands }: ParsedScript): boolean {
  const [only] = commands
  return commands.length === 1 && only?.command.type === 'Command' && !only.background
}

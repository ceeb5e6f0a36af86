import type { Assignment, Command, HereDoc, ParsedScript, Redirection, SyntaxNode } from 'unbash'
import { messageOf } from '../../../core/errors.ts'
import { evaluatesText } from './evaluated-text.ts'
import {
  hasStrayText,
  holdsTooManySubstitutions,
  isExec,
  isOddQuote,
  isOddRedirect,
  isReadAsLess,
  settingsOf,
} from './odd-text.ts'
import { isInput, type ReadWord, readInput, readWord, shown } from './read-word.ts'
import type { FileWrite, Notes, ScriptReading, ShellParser } from './script-reading.ts'
import { commandOfOptions, isRunByName, runsUnread, setsRunByBash } from './unread-variables.ts'

const SPLIT_WORD = /\S\\\n(?:\\\n)*\S/

/** Never throws: what the parser does not bear is a problem of the text. */
export function readScript(parser: ShellParser, source: string, fed: boolean): ScriptReading {
  const lists = { commands: [], asides: [] as ScriptReading['asides'], problems: [] as string[], doubts: [], names: [] }
  const reading: ScriptReading = { ...lists, empty: false, lasts: false }
  if (holdsTooManySubstitutions(source)) return { ...reading, problems: ['the command holds too many substitutions'] }
  try {
    const script = parser.parse(source)
    if (SPLIT_WORD.test(source)) reading.problems.push('a line continuation splits a word')
    const nodes = walk(parser, script, { reading, source, fed, isInner: false })
    if (evaluatesText(nodes)) reading.problems.push('bash evaluates text that it is given')
    if (setsRunByBash(nodes, source)) reading.problems.push('it sets a variable that bash runs by itself')
    return { ...reading, empty: script.commands.length === 0 }
  } catch (thrown) {
    reading.problems.push(`the command cannot be parsed: ${messageOf(thrown)}`)
    return reading
  }
}

/** By hand instead of by recursion: chains of operators nest as deep as the text is long. */
function walk(parser: ShellParser, script: ParsedScript, notes: Notes): SyntaxNode[] {
  const seen: SyntaxNode[] = []
  const open: { readonly node: SyntaxNode; readonly notes: Notes }[] = [{ node: script, notes }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node } = next
    const isScript = node.type === 'Script' && node.source !== undefined
    const isInner = next.notes.isInner || /^(?:CommandExpansion|ProcessSubstitution)$/.test(node.type)
    const inside = { ...next.notes, isInner, ...(isScript && { source: node.source ?? '' }) }
    seen.push(node)
    note(node, inside)
    parser.forEachChild(node, child => {
      open.push({ node: child, notes: inside.fed || !feeds(node, child) ? inside : { ...inside, fed: true } })
    })
  }
  return seen
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

const LASTS = /^(?:Function|Coproc|While|For|ArithmeticFor|Select|ProcessSubstitution)$/

/** True if the node's parts run again, later, or at the same time as others. */
function isAtOnce(node: SyntaxNode): boolean {
  if (node.type === 'Pipeline') return node.commands.some(({ type }) => type !== 'Command')
  return LASTS.test(node.type) || (node.type === 'Statement' && node.background === true)
}

function note(node: SyntaxNode, notes: Notes): void {
  if (isAtOnce(node)) notes.reading.lasts = true
  const noting = NOTING[node.type] as ((node: SyntaxNode, notes: Notes) => void) | undefined
  noting?.(node, notes)
}

// If sh and bash read the same text differently, both readings count.
const NOTING: Noting = {
  Script(node: ParsedScript, { reading }) {
    for (const { message } of node.errors ?? []) reading.problems.push(`the command cannot be parsed: ${message}`)
  },
  Command: noteCommand,
  Word(node, { reading }) {
    reading.names.push(node)
    if (!node.parts && node.text.includes('$[')) reading.problems.push(differs(node.text))
  },
  Assignment: noteAssignment,
  HereDoc: noteHereDoc,
  Redirect(node, { reading }) {
    if (isOddRedirect(node)) reading.problems.push(differs(`${node.operator}${node.target?.text ?? ''}`))
  },
  Redirected({ redirects, pos }, { reading, fed, source }) {
    const writes = writesOf(redirects)
    if (writes.length > 0) reading.commands.push({ words: [], input: [], fed, writes, settings: [], source, at: pos })
  },
  TestCommand(node, { reading, source }) {
    pushScript(reading, source.slice(node.pos, node.end).replace(/^\[\[|\]\]$/g, ''))
  },
  TestBinary({ left, right }, { reading }) {
    pushEvaluated(reading, left.value, right.value)
  },
  TestUnary({ operand }, { reading }) {
    pushEvaluated(reading, operand.value)
  },
  ArithmeticCommand({ body }, { reading }) {
    pushScript(reading, body)
  },
  ArithmeticExpansion({ text }, { reading }) {
    pushScript(reading, text.replace(/^\$\(?/, '').replace(/\)$/, ''))
    if (text.startsWith('$[')) reading.problems.push(differs(text))
  },
  ExtendedGlob({ pattern }, { reading }) {
    pushScript(reading, pattern)
  },
  AnsiCQuoted({ text }, { reading }) {
    if (isOddQuote(text)) reading.problems.push(differs(text))
  },
  Literal({ text }, { reading }) {
    if (text.includes('$[')) reading.problems.push(differs(text))
  },
  CommandExpansion({ text, script }, { reading }) {
    if (text.startsWith('${')) reading.problems.push(differs(text))
    if (!script) reading.problems.push(`what ${shown(text)} runs cannot be read`)
  },
  ProcessSubstitution({ text, script }, { reading }) {
    if (!script) reading.problems.push(`what ${shown(text)} runs cannot be read`)
  },
  Transform({ operand }, { reading }) {
    if (operand.value.includes('P')) reading.problems.push('a variable expanded with @P may run what it holds')
  },
}

/** Text that some shell runs, if it is no more than it seems. */
function pushScript({ asides }: ScriptReading, text: string): void {
  asides.push({ text, sure: false })
}

/** Text of which bash runs the substitutions in some corner. */
function pushEvaluated(reading: ScriptReading, ...texts: string[]): void {
  for (const text of texts) if (/\$\(|`/.test(text)) pushScript(reading, text)
}

function differs(text: string): string {
  return `shells read ${shown(text)} differently`
}

function noteCommand(node: Command, notes: Notes): void {
  const { reading, source, fed, isInner } = notes
  if (hasStrayText(node, source)) reading.problems.push('the command cannot be parsed: unexpected "("')
  const unread = [...node.args, node.name].find(word => word?.type === 'Word' && isReadAsLess(word))
  if (unread) reading.problems.push(`the command cannot be parsed: ${shown(unread.text)}`)
  const words = node.name ? [node.name, ...node.args].map(readWord) : []
  for (const word of words) noteSetting(word, notes)
  const input = node.redirects.filter(isInput).map(readInput)
  if (input.length > 0 && isExec(words)) reading.problems.push('exec changes what later commands read')
  const command = {
    words,
    input,
    fed,
    writes: writesOf(node.redirects),
    settings: settingsOf(node, words),
    source,
    at: node.pos,
  }
  if (isInner && command.writes.length > 0) reading.lasts = true
  if (words.length > 0 || command.writes.length > 0) reading.commands.push(command)
  noteBehind(node, notes)
}

/** `env BASH_ENV=x`, `sudo LD_PRELOAD=x`. */
function noteSetting({ text }: ReadWord, notes: Notes): void {
  const [, name, value = ''] = /^(\w[\w-]*)=(.*)/s.exec(text) ?? []
  if (name !== undefined) noteVariable(name, value, notes)
}

function writesOf(redirects: readonly Redirection[]): FileWrite[] {
  return redirects.flatMap(each => {
    const isFile = each.type === 'Redirect' && each.operator.includes('>') && !/^[\d-]*$/.test(each.target?.text ?? '')
    return isFile && each.target ? { operator: each.operator, target: readWord(each.target) } : []
  })
}

/** To sh, `a &>f b` are two commands: `a &` and `b >f`. */
function noteBehind({ suffix, pos }: Command, { reading, source }: Notes): void {
  const at = suffix.findLastIndex(part => part.type === 'Redirect' && part.operator.startsWith('&'))
  const behind = at < 0 ? [] : suffix.slice(at + 1).filter(part => part.type === 'Word')
  if (behind.length > 0)
    reading.commands.push({
      words: behind.map(readWord),
      input: [],
      fed: true,
      writes: [],
      settings: [],
      source,
      at: pos,
    })
}

function noteVariable(name: string, value: string, { reading, source }: Notes): void {
  if (runsUnread(name, value, source)) reading.doubts.push(`${name} names what runs, and policy does not read it`)
  const command = commandOfOptions(name, value)
  if (command !== null) reading.asides.push({ text: command, sure: true })
  if (isRunByName(name)) reading.asides.push({ text: value, sure: /[\s?*[]/.test(value) })
}

function noteAssignment({ name, value }: Assignment, notes: Notes): void {
  const texts = value.type === 'Word' ? [value.value] : value.elements.map(element => element.value)
  for (const text of texts) {
    noteVariable(name, text, notes)
    pushEvaluated(notes.reading, text)
  }
}

function noteHereDoc({ delimiter, closing }: HereDoc, { reading }: Notes): void {
  if (!closing) reading.problems.push('the command cannot be parsed: a here-document is not closed')
  if (delimiter && /[$`\n]/.test(delimiter.text)) reading.problems.push('shells differ on where its here-document ends')
}

import type { CommandReading } from '../../core/policy/match-command.ts'
import type { CallFacts } from '../../core/policy/policy.ts'
import { programName, valuesIn } from './command-wrappers.ts'
import { evaluatedText } from './evaluated-text.ts'
import { linkToRecords } from './link-to-records.ts'
import { isAnotherProgram, linkedPrograms } from './linked-programs.ts'
import { commandMentionsDeciding, textMentionsDeciding, textMentionsWho } from './mentions-deciding.ts'
import { PROTECTED, textMentionsProtected } from './mentions-protected.ts'
import { OwnFiles } from './own-files.ts'
import { readPlainCommand } from './read-plain-command.ts'
import { type FoundScript, type ReadCommand, readScript, type ScriptReading, type ShellParser } from './read-script.ts'
import { literalWord, type ReadWord, shown } from './read-word.ts'
import { type Unwrapped, unwrapCommand } from './unwrap-command.ts'

export const LONGEST_COMMAND: number = 64 * 1024
const LONGEST_READING = 4 * LONGEST_COMMAND
const LONGEST_TEXTS = 4 * LONGEST_COMMAND
const DEEPEST_SCRIPT = 8

/**
 * The effects of a shell command, as far as policy needs to know them (docs/design/policy.md#commands). It fails
 * closed: text that cannot be read for certain is unclear. Only one simple command of literal words gets a text by
 * which a pattern may permit it. Never throws.
 */
export async function inspectCommand(command: string, workdir: string): Promise<CallFacts> {
  const findings: Findings = {
    texts: new Set([command.trim()]),
    commands: new Map(),
    unclear: [],
    own: new OwnFiles(),
    workdir,
    mentions: [],
    decides: [],
    lengths: { read: 0, texts: 0 },
  }
  if (textMentionsProtected(workdir)) findings.mentions.push(workdir)
  const as = inspect(await import('unbash'), command, findings)
  const own = findings.own.run()
  if (own !== null) addReading({ words: [['', '']], doubt: `${own} is a file that the command itself makes` }, findings)
  const link = linkToRecords(command, workdir)
  if (link !== null) findings.mentions.push(link)
  const [unclear = null] = findings.unclear
  return {
    readings: {
      command: {
        as: unclear === null && as !== null && !isAnotherProgram(as.split(' ', 1)[0] ?? '', workdir) ? as : null,
        among: [...findings.texts],
        commands: [...findings.commands.values()],
      },
    },
    unclear,
    protected: whyProtected(findings),
  }
}

function whyProtected({ mentions: [mention], decides: [decision] }: Findings): string | null {
  if (mention !== undefined) return `writes to ${PROTECTED} always need a person (mentions ${shown(mention)})`
  return decision === undefined ? null : `no agent decides by itself: a person must look (${shown(decision)})`
}

interface Findings {
  readonly texts: Set<string>
  readonly commands: Map<string, CommandReading>
  readonly unclear: string[]
  readonly own: OwnFiles
  readonly workdir: string
  readonly mentions: string[]
  /** Parts that may make Holdpoint decide something. */
  readonly decides: string[]
  readonly lengths: { read: number; texts: number }
}

/** Shell text that is still to be read. */
interface Unread {
  readonly text: string
  /** It will run as it stands, so what cannot be read in it is unclear. */
  readonly strict: boolean
  readonly fed: boolean
  readonly depth: number
}

function inspect(parser: ShellParser, command: string, findings: Findings): string | null {
  if (Buffer.byteLength(command) > LONGEST_COMMAND) return noteUnread(command, findings)
  if (HIDDEN.test(command) || !command.isWellFormed()) findings.unclear.push('the command holds control characters')
  const script = readScript(parser, command, false)
  if (script.empty) findings.unclear.push('there is no command')
  const pending = noteScript(script, { text: command, strict: true, fed: false, depth: 0 }, findings)
  const seen = new Set<string>()
  for (let next = pending.pop(); next; next = pending.pop()) {
    const key = `${next.strict}${next.fed}${next.text}`
    if (!seen.has(key)) pending.push(...readNext(parser, next, findings))
    seen.add(key)
  }
  return readPlainCommand(command, script)
}

function noteUnread(command: string, { unclear, mentions, decides }: Findings): null {
  unclear.push('the command is longer than 64 KB')
  if (textMentionsProtected(command)) mentions.push(command)
  if (textMentionsDeciding(command) || textMentionsWho(command)) decides.push(command)
  return null
}

/** Control characters but for tab and newline, and what turns the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]/

function readNext(parser: ShellParser, next: Unread, findings: Findings): Unread[] {
  findings.lengths.read += next.text.length
  if (next.depth > DEEPEST_SCRIPT || findings.lengths.read > LONGEST_READING) {
    findings.unclear.push('the command holds too many scripts within scripts')
    return []
  }
  return noteScript(readScript(parser, next.text, next.fed), next, findings)
}

/** Notes what a text runs; the texts that it holds in turn are handed back. */
function noteScript(script: ScriptReading, { text, strict, fed, depth }: Unread, findings: Findings): Unread[] {
  findings.mentions.push(...script.mentions)
  findings.own.takeText(text)
  const isUnread = script.problems.length > 0 && textMentionsDeciding(text)
  if (isUnread || textMentionsWho(text) || script.commands.some(commandMentionsDeciding)) findings.decides.push(text)
  if (strict) findings.unclear.push(...script.problems, ...evaluatedText(text))
  for (const doubt of script.doubts) addReading({ words: [['', '']], doubt }, findings)
  const below = { strict, depth: depth + 1 }
  const found = script.asides.map(aside => unread(aside, { ...below, fed }))
  for (const command of script.commands) {
    const unwrapped = unwrapCommand(command)
    findings.own.take(command.words, unwrapped.wraps)
    addTexts(command, { ...unwrapped, strict }, findings)
    if (strict) findings.unclear.push(...unwrapped.problems)
    found.push(...unwrapped.scripts.map(each => unread(each, { ...below, fed: command.fed })))
  }
  return found
}

function unread({ text, strict }: FoundScript, around: Omit<Unread, 'text'>): Unread {
  return { ...around, text, strict: strict && around.strict }
}

interface Wrapping extends Unwrapped {
  readonly strict: boolean
}

function addTexts({ words }: ReadCommand, unwrapped: Wrapping, findings: Findings): void {
  const { wraps, from, doubts, strict } = unwrapped
  const bare = words.flatMap(word => word.bare ?? [])
  addCommand(bare.map(literalWord), findings)
  // Of text that may be no command, one whose program is unknown says nothing.
  if (strict || words[0]?.literal) addCommand(words, findings)
  if (strict) for (const doubt of doubts) addReading(doubt, findings)
  if (!wraps) return
  for (const wrapped of wrappedCommands(unwrapped.words, from)) if (!addCommand(wrapped, findings)) return
}

/** Every run of words up to the last that may be the wrapped command. */
function* wrappedCommands(words: readonly ReadWord[], from: number): Generator<ReadWord[]> {
  for (let at = from; at < words.length; at++) {
    const word = words[at] as ReadWord
    const rest = words.slice(at + 1)
    for (const value of new Set(valuesIn(word.text))) yield [literalWord(value), ...rest]
    // If the program is an unknown word, that is a problem of its wrapper.
    if (word.literal && !word.text.startsWith('-')) yield [word, ...rest]
  }
}

/** `git-push` and `/usr/lib/git-core/git-push` are `git push`. */
const DASHED = /^git-(?=[a-z])/

/** Adds a command by each name of its program. False once there are too many for policy to go through. */
function addCommand([program, ...rest]: readonly ReadWord[], findings: Findings): boolean {
  if (!program || (program.text === '' && rest.length === 0)) return true
  const { texts, unclear, lengths, workdir } = findings
  const name = programName(program.text).toLowerCase()
  const subcommand = literalWord(name.replace(DASHED, ''))
  if (program.literal && DASHED.test(name)) addCommand([literalWord('git'), subcommand, ...rest], findings)
  const operands = rest.map(word => word.text).join(' ')
  const pieces = rest.map(word => word.pieces)
  for (const { text, pieces: name } of namesOf(program, workdir)) {
    const line = rest.length === 0 ? text : `${text} ${operands}`
    lengths.texts += line.length
    texts.add(line)
    addReading({ words: [name, ...pieces], doubt: null }, findings)
  }
  if (lengths.texts <= LONGEST_TEXTS) return true
  unclear.push('the command may run too many things to tell them apart')
  return false
}

function addReading(reading: CommandReading, { commands }: Findings): void {
  // Neither can be in a command that is clear.
  const words = reading.words.map(pieces => pieces.join('\0')).join('\u0001')
  commands.set(`${reading.doubt ?? ''}\u0001${words}`, reading)
}

function namesOf(program: ReadWord, workdir: string): ReadWord[] {
  const { text, literal } = program
  const name = programName(text)
  const linked = literal ? linkedPrograms(text, workdir) : []
  const names = new Set([text, name || text, name.toLowerCase() || text, ...linked])
  return [...names].map(each => (literal || each !== text ? literalWord(each) : program))
}

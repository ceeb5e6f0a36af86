import type { CommandReading } from '../../core/policy/match-command.ts'
import type { CallFacts } from '../../core/policy/policy.ts'
import { programName } from './command-wrappers.ts'
import { textSetsDotglob, wordsSetDotglob } from './dotglob.ts'
import { linkToRecords } from './link-to-records.ts'
import { isAnotherProgram, namesOf } from './linked-programs.ts'
import { commandMentionsDeciding, textMentionsDeciding, textMentionsWho } from './mentions-deciding.ts'
import { PROTECTED, textMentionsProtected } from './mentions-protected.ts'
import { OwnFiles } from './own-files.ts'
import { searchThatReaches } from './reaches-records.ts'
import { readPlainCommand } from './read-plain-command.ts'
import { type ReadCommand, readScript, type ScriptReading, type ShellParser } from './read-script.ts'
import { type Unwrapped, unwrapCommand } from './unwrap-command.ts'
import { evaluatedText } from './words/evaluated-text.ts'
import { firstParts } from './words/first-parts.ts'
import { valuesIn } from './words/flag-words.ts'
import type { FoundScript } from './words/found-scripts.ts'
import { literalWord, type ReadWord, shown } from './words/read-word.ts'

export const LONGEST_COMMAND: number = 64 * 1024
const LONGEST_READING = 4 * LONGEST_COMMAND
const LONGEST_TEXTS = 4 * LONGEST_COMMAND
const DEEPEST_SCRIPT = 8
/** Of one command, for rules to go through; its whole text is compared, too. */
const MOST_WORDS = 4000

/**
 * The effects of a shell command, as far as policy needs to know them (docs/design/policy.md#commands). It fails
 * closed: text that cannot be read for certain is unclear. Only one simple command of literal words gets a text by
 * which a pattern may permit it. Never throws.
 */
export async function inspectCommand(command: string, workdir: string): Promise<CallFacts> {
  const parser = await import('unbash')
  const findings = findIn(parser, command, { workdir, dotglob: false })
  // Of the names it is set by one may stand behind the pattern, in a function or a trap, so all is read again.
  if (findings.setsDotglob.length > 0)
    findings.mentions.push(...findIn(parser, command, { workdir, dotglob: true }).mentions)
  const { unclear: [unclear = null] = [], as } = findings
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

function findIn(parser: ShellParser, command: string, around: Pick<Findings, 'workdir' | 'dotglob'>): FoundIn {
  const { workdir } = around
  const findings = emptyFindings(command, around)
  if (textMentionsProtected(workdir)) findings.mentions.push(workdir)
  const as = inspect(parser, command, findings)
  const own = findings.own.run() === null ? null : ownBehind(parser, command, { ...around, own: findings.own })
  if (own !== null) addReading({ words: [['', '']], doubt: `${own} is a file that the command itself makes` }, findings)
  const link = linkToRecords(command, workdir)
  if (link !== null) findings.mentions.push(link)
  return { ...findings, as }
}

function emptyFindings(command: string, around: Pick<Findings, 'workdir' | 'dotglob'>): Findings {
  const lists = { unclear: [], setsDotglob: [], mentions: [], searches: [], decides: [] }
  const texts = new Set([command.trim()])
  return { ...around, ...lists, texts, commands: new Map(), own: new OwnFiles(), lengths: { read: 0, texts: 0 } }
}

type Reading = Pick<Findings, 'workdir' | 'dotglob' | 'own'>

/** A file that the command writes and then runs. Its first parts may run others of them before any is written. */
function ownBehind(parser: ShellParser, command: string, { own, ...around }: Reading): string | null {
  const read = (text: string) => {
    const findings = emptyFindings(text, around)
    inspect(parser, text, findings)
    return findings.own
  }
  const from = firstParts(parser, command).find(part => part.lasts || own.run(read(part.text)) !== null)?.at ?? 0
  return from === 0 ? own.run() : read(command.slice(from)).run()
}

interface FoundIn extends Findings {
  /** The one text that a permissive pattern may match. */
  readonly as: string | null
}

function whyProtected({ mentions: [mention], searches: [search], decides: [decision] }: Findings): string | null {
  const rule = `writes to ${PROTECTED} always need a person`
  if (mention !== undefined) return `${rule} (mentions ${shown(mention)})`
  if (search !== undefined) return `${rule} (${shown(search)} comes by it: name a directory, or leave out hidden ones)`
  return decision === undefined ? null : `no agent decides by itself: a person must look (${shown(decision)})`
}

interface Findings {
  readonly texts: Set<string>
  readonly commands: Map<string, CommandReading>
  readonly unclear: string[]
  readonly own: OwnFiles
  readonly workdir: string
  /** `*` matches names with a leading dot, too. */
  readonly dotglob: boolean
  /** Texts that may make it so. */
  readonly setsDotglob: string[]
  readonly mentions: string[]
  /** Searches that hand what is there to a program that may change it. */
  readonly searches: string[]
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
  const script = readScript(parser, command, { fed: false, dotglob: findings.dotglob })
  noteSearch(parser, command, findings)
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
  if (next.strict) noteSearch(parser, next.text, findings)
  return noteScript(readScript(parser, next.text, { fed: next.fed, dotglob: findings.dotglob }), next, findings)
}

function noteSearch(parser: ShellParser, text: string, { searches, workdir }: Findings): void {
  const search = searchThatReaches(parser, text, workdir)
  if (search !== null) searches.push(search)
}

/** Notes what a text runs; the texts that it holds in turn are handed back. */
function noteScript(script: ScriptReading, { text, strict, fed, depth }: Unread, findings: Findings): Unread[] {
  findings.mentions.push(...script.mentions)
  findings.own.takeText(text)
  if (textSetsDotglob(text) || script.commands.some(({ words }) => wordsSetDotglob(words)))
    findings.setsDotglob.push(text)
  const isUnread = script.problems.length > 0 && textMentionsDeciding(text)
  if (isUnread || textMentionsWho(text) || script.commands.some(commandMentionsDeciding)) findings.decides.push(text)
  if (strict) findings.unclear.push(...script.problems, ...evaluatedText(text))
  for (const doubt of script.doubts) addReading({ words: [['', '']], doubt }, findings)
  const below = { strict, depth: depth + 1 }
  const found = script.asides.map(aside => unread(aside, { ...below, fed }))
  for (const command of distinct(script.commands)) {
    const unwrapped = unwrapCommand(command)
    findings.own.take(command.words, { wraps: unwrapped.wraps, strict })
    addTexts(command, { ...unwrapped, strict }, findings)
    if (strict) findings.unclear.push(...unwrapped.problems)
    found.push(...unwrapped.scripts.map(each => unread(each, { ...below, fed: command.fed })))
  }
  return found
}

/** A loop written out as many commands costs no more than one of each. */
function distinct(commands: readonly ReadCommand[]): Iterable<ReadCommand> {
  const keyOf = ({ words, fed }: ReadCommand) =>
    words.map(({ text, literal, bare }) => `${literal}${text}\0${bare}`).join('\u0001') + fed
  const different = new Map(commands.map(command => [command.input.length > 0 ? command : keyOf(command), command]))
  return different.values()
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
    for (const value of new Set(valuesIn(word.text))) yield [literalWord(value), ...words.slice(at + 1)]
    // If the program is an unknown word, that is a problem of its wrapper.
    if (word.literal && !word.text.startsWith('-')) yield words.slice(at)
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
  const pieces = rest.slice(0, MOST_WORDS).map(word => word.pieces)
  if (rest.length > MOST_WORDS) unclear.push('the command has too many words to compare them with rules')
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

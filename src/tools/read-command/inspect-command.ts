import type { CallFacts } from '../../core/policy/policy.ts'
import { linkToRecords, PROTECTED } from './files/links-to-records.ts'
import { type Moment, OwnFiles } from './files/own-files.ts'
import { mayDecide, mayNameRecords, namesWhoDecides, textMayDecide, textNamesRecords } from './files/own-records.ts'
import { plainParts } from './plain-parts.ts'
import { programName } from './programs/programs.ts'
import { reachesOf } from './programs/reaches.ts'
import { startDoubts } from './programs/unknown-programs.ts'
import { Readings } from './readings.ts'
import { holdsHidden } from './text/odd-text.ts'
import { readScript } from './text/read-script.ts'
import { literalWord, shown } from './text/read-word.ts'
import type { ReadCommand, ScriptReading, ShellParser } from './text/script-reading.ts'
import { type Unwrapped, unwrapCommand } from './unwrap-command.ts'

export const LONGEST_COMMAND: number = 64 * 1024
const LONGEST_READING = 4 * LONGEST_COMMAND
const DEEPEST_SCRIPT = 8

/**
 * The effects of a shell command, as far as policy needs to know them (docs/design/policy.md#commands). It fails
 * closed: text that cannot be read for certain is unclear. Never throws.
 */
export async function inspectCommand(command: string, workdir: string): Promise<CallFacts> {
  const parser = await import('unbash')
  const inspection = new Inspection(parser, command, workdir)
  inspection.read()
  return inspection.facts()
}

/** Shell text that is still to be read. */
interface Unread {
  readonly text: string
  /** True if the text certainly runs as it is, so unreadable text in it is unclear. */
  readonly sure: boolean
  readonly fed: boolean
  readonly depth: number
  /** Where the command that runs it begins in the whole line; `null` for the line itself. */
  readonly at: number | null
}

/** Builtins that evaluate text that they are given. */
const EVALUATES =
  /^(?:test|\[|let|printf|read|declare|typeset|local|export|readonly|unset|wait|getopts|mapfile|readarray)$/

class Inspection {
  readonly #parser: ShellParser
  readonly #command: string
  readonly #workdir: string
  readonly #readings: Readings
  #protected: string | null = null
  readonly #own: OwnFiles
  /** Texts of which some program may run any word. */
  readonly #taken = new Set<string>()
  readonly #numbers = { read: 0, commands: 0 }
  /** Where programs run; `null` if the line changes that. */
  readonly #directory: string | null

  constructor(parser: ShellParser, command: string, workdir: string) {
    this.#parser = parser
    this.#command = command
    this.#workdir = workdir
    this.#readings = new Readings(command.trim(), workdir)
    this.#own = new OwnFiles(command)
    this.#directory = /\b(?:cd|pushd|popd)\b|PYTHON/.test(command) ? null : workdir
  }

  facts(): CallFacts {
    const { unclear } = this.#readings
    const parts = unclear === null ? plainParts(this.#parser, this.#command, this.#workdir) : null
    const isOne = parts?.length === 1
    const [line] = isOne && parts[0]?.lines?.length === 1 ? parts[0].lines : []
    // A command with a star in it is a pattern first.
    const isText = unclear === null && !(isOne && this.#command.includes('*')) && !this.#readings.isRenamed()
    const as = line?.named === 0 && line.outside.length === 0 ? line.words.join(' ') : null
    const command = { as, ...(isText && { exact: this.#command.trim() }), ...this.#readings.found(), parts }
    return { readings: { command }, unclear, protected: this.#protected, reaches: reachesOf(command.commands ?? []) }
  }

  read(): void {
    const [command, workdir] = [this.#command, this.#workdir]
    if (textNamesRecords(workdir)) this.#noteMention(workdir)
    if (Buffer.byteLength(command) > LONGEST_COMMAND) {
      this.#noteLong()
      return
    }
    if (/\bcd\s+["']?\/(?:dev|proc)\b/.test(command))
      this.#readings.unclear ??= 'it works where files are made of what runs'
    if (holdsHidden(command)) this.#readings.unclear ??= 'the command holds control characters'
    this.#readAll({ text: command, sure: true, fed: false, depth: 0, at: null })
    const link = linkToRecords(command, workdir)
    if (link !== null) this.#noteMention(link)
    const own = this.#own.why()
    if (own !== null) this.#readings.doubt(own)
  }

  #readAll(line: Unread): void {
    const pending = [line]
    const seen = new Set<string>()
    for (let next = pending.pop(); next; next = pending.pop()) {
      const key = `${next.sure}${next.fed}${next.text}`
      if (!seen.has(key)) for (const found of this.#readNext(next)) pending.push(found)
      seen.add(key)
    }
  }

  #noteLong(): void {
    this.#readings.unclear ??= 'the command is longer than 64 KB'
    if (textNamesRecords(this.#command)) this.#noteMention(this.#command)
    if (textMayDecide(this.#command) || namesWhoDecides(this.#command)) this.#noteDecision(this.#command)
  }

  #noteMention(word: string): void {
    this.#protected ??= `writes to ${PROTECTED} always need a person (mentions ${shown(word)})`
  }

  #noteDecision(text: string): void {
    this.#protected ??= `no agent decides by itself: a person must look (${shown(text)})`
  }

  /** Notes what a text runs; the texts that it holds in turn are handed back. */
  #readNext(next: Unread): Unread[] {
    const { text, sure, fed, depth } = next
    this.#numbers.read += text.length
    if (depth > DEEPEST_SCRIPT || this.#numbers.read > LONGEST_READING) {
      this.#readings.unclear ??= 'the command holds too many scripts within scripts'
      return []
    }
    const script = readScript(this.#parser, text, fed)
    if (depth === 0 && script.empty) this.#readings.unclear ??= 'there is no command'
    this.#noteProtected(script, text)
    if (sure) this.#readings.unclear ??= script.problems[0] ?? null
    else if (script.problems.length > 0 && holdsSubstitution(text))
      this.#readings.doubt(`bash may evaluate ${shown(text)}`)
    for (const doubt of script.doubts) this.#readings.doubt(doubt)
    if (script.lasts) this.#own.last()
    const asides = script.asides.map(aside => ({
      ...aside,
      sure: aside.sure && sure,
      fed,
      depth: depth + 1,
      at: next.at ?? 0,
    }))
    return [...asides, ...distinctCommands(script.commands).flatMap(command => this.#readCommand(command, next))]
  }

  #noteProtected({ names, problems }: ScriptReading, text: string): void {
    const mention = names.find(mayNameRecords)?.value ?? (textNamesRecords(text) ? text : null)
    if (mention !== null) this.#noteMention(mention)
    if (namesWhoDecides(text) || (problems.length > 0 && textMayDecide(text))) this.#noteDecision(text)
  }

  #readCommand(command: RepeatedCommand, next: Unread): Unread[] {
    const { words } = command
    const moment = { at: next.at ?? command.at, command: this.#numbers.commands++ }
    for (const { target } of command.writes) this.#own.write(target.literal ? target.text : null, moment)
    if (words.length === 0 || !(next.sure || words[0]?.literal)) return []
    const unwrapped = unwrapCommand(command, this.#directory)
    this.#readings.add(words.flatMap(word => word.bare ?? []).map(literalWord))
    this.#noteRun(unwrapped, next.at === null ? [command.at, ...command.again] : [next.at], moment)
    if (next.sure) this.#noteUnread(unwrapped, command)
    if (mayDecide(command, unwrapped.commands)) this.#noteDecision(words.map(({ text }) => text).join(' '))
    const below = { depth: next.depth + 1, at: moment.at, fed: command.fed }
    const scripts = [...unwrapped.scripts].map(text => ({ ...below, text, sure: next.sure }))
    return [...scripts, ...evaluatedBy(command).map(text => ({ ...below, text, sure: false }))]
  }

  #noteRun({ commands }: Unwrapped, places: readonly number[], moment: Moment): void {
    const first = programName(commands[0]?.[0]?.text ?? '')
    for (const words of commands) {
      this.#readings.add(words)
      if (LATER.test(words[0]?.text ?? '')) this.#own.last()
      for (const at of ELSEWHERE.test(first) ? [] : places) this.#own.take(words, { ...moment, at })
    }
  }

  #noteUnread({ problems, doubts, around }: Unwrapped, { settings, source }: RepeatedCommand): void {
    this.#readings.unclear ??= problems[0] ?? null
    for (const doubt of doubts) this.#readings.addReading(doubt)
    this.#noteStarts(settings, 'a program may run what it finds in a variable')
    if (around === null || this.#taken.has(source)) return
    this.#taken.add(source)
    this.#noteStarts([source], around)
  }

  #noteStarts(texts: readonly string[], doubt: string): void {
    for (const reading of startDoubts(texts, doubt)) this.#readings.addReading(reading)
  }
}

/** Words that a builtin evaluates. */
function evaluatedBy({ words: [program, ...words] }: RepeatedCommand): string[] {
  if (!EVALUATES.test(programName(program?.text ?? ''))) return []
  return words.flatMap(({ text }) => (holdsSubstitution(text) ? text : []))
}

/** Programs that run their words in another place. */
const ELSEWHERE = /^(?:docker|podman|nerdctl|kubectl|oc|ssh)$/
/** Programs that run their words at another time. */
const LATER = /^(?:trap|alias|at|batch|coproc|watch)$/

function holdsSubstitution(text: string): boolean {
  return text.includes('$(') || text.includes('`')
}

interface RepeatedCommand extends ReadCommand {
  /** The positions of further occurrences of the same command. */
  readonly again: readonly number[]
}

/** A loop written out as many commands costs no more than one of each. */
function distinctCommands(commands: readonly ReadCommand[]): RepeatedCommand[] {
  const keyOf = ({ words, fed }: ReadCommand) =>
    words.map(({ text, literal, bare }) => `${literal}${text}\0${bare}`).join('\u0001') + fed
  const isOne = ({ input, writes }: ReadCommand) => input.length > 0 || writes.length > 0
  const groups = Map.groupBy(commands, command => (isOne(command) ? command : keyOf(command)))
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first ? { ...first, again: rest.map(({ at }) => at) } : [],
  )
}

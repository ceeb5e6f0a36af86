import { lstatSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ParsedScript, SyntaxNode } from 'unbash'
import type { CommandPart } from '../../core/policy/permit-parts.ts'
import { isAnotherProgram } from './files/linked-programs.ts'
import { takesInput, whyNotReading, whyShown } from './plain/only-reads.ts'
import { firstOutside, type PlainValue, type ReadingPlace } from './plain/outside-paths.ts'
import { linesOf } from './plain/part-lines.ts'
import { type PlainCommand, type PlainLoop, plainCommands } from './plain/plain-line.ts'
import type { PlainWord } from './plain/plain-words.ts'
import { readWord } from './text/read-word.ts'
import type { ShellParser } from './text/script-reading.ts'

const MOST_LINES = 32
const MOST_PARTS = 64

/**
 * The commands of a line that both readers read alike, each for rules to permit; `null` if they do not, or it does more.
 * Never throws.
 */
export function plainParts(parser: ShellParser, source: string, workdir: string): readonly CommandPart[] | null {
  try {
    const commands = plainCommands(source) ?? []
    const isRead = commands.length > 0 && commands.length <= MOST_PARTS && commands.every(isHarmless)
    return isRead && isSame(commands.map(keyOf), parsedKeys(parser, source)) ? partsOf(commands, workdir) : null
  } catch {
    return null
  }
}

function partsOf(commands: readonly PlainCommand[], workdir: string): readonly CommandPart[] {
  const setters = settersIn(commands)
  const values = commands.map((command, at) =>
    command.words.map(word => resolvedWord(word, { setters, command, at, workdir })),
  )
  const directories = directoriesOf(values, workdir)
  const known = new Set(setters.map(({ name }) => name))
  const parts = commands.map((command, at) => {
    const before = command.pipedFrom === null ? undefined : values[command.pipedFrom]
    const part = partOf(command, values[at] ?? [], { directories, before })
    const shown = whyShown(wordsOf(command), known)
    return shown === null ? part : { ...part, text: part.text || '< variable', beyond: part.beyond ?? shown }
  })
  return parts.filter(({ text }, at) => text !== '' || (commands[at]?.words.length ?? 0) > 0)
}

function keyOf({ words, settings, redirects }: PlainCommand): string {
  return [
    ...settings.map(({ name, value }) => `${name}=${value.text}`),
    ...words.map(({ text }) => text),
    redirects,
  ].join('\0')
}

function parsedKeys(parser: ShellParser, source: string): string[] {
  const script = parser.parse(source)
  const keys: string[] = []
  const open: SyntaxNode[] = [script]
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === 'Script' && ((node as ParsedScript).errors ?? []).length > 0) return []
    if (node.type === 'Command') {
      const settings = node.prefix.flatMap(each =>
        each.type === 'Assignment' ? `${each.name}=${textOf(each.value)}` : [],
      )
      const words = [...(node.name ? [node.name] : []), ...node.args].map(word => readWord(word).text)
      keys.push([...settings, ...words, node.redirects.length].join('\0'))
    }
    parser.forEachChild(node, child => {
      open.push(child)
    })
  }
  return keys
}

function textOf(value: { readonly type: string; readonly value?: string }): string {
  return value.type === 'Word' ? (value.value ?? '') : '()'
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  const sorted = other.toSorted()
  return one.length === other.length && one.toSorted().every((key, at) => key === sorted[at])
}

/** All that it is given. */
function wordsOf({ words, settings, given, loops }: PlainCommand): readonly PlainWord[] {
  return [...words, ...settings.map(({ value }) => value), ...given, ...loops.flatMap(loop => loop.values)]
}

/** Settings that say how programs talk. */
const HARMLESS =
  /^(?:CI|NODE_ENV|FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|TERM|COLUMNS|LINES|LANG|LC_[A-Z]+|TZ|VERBOSE|GIT_OPTIONAL_LOCKS|GIT_PAGER_IN_USE)$/
/** `test`, `de_DE.UTF-8` and `Europe/Berlin`; a path from the root or upwards is none. */
const WORD = /^(?:\w[\w.,@:+-]*(?:\/[\w-]+)*)?$/
/** Variables that the shell or programs read; a line that sets another one sets it for itself alone. */
const READ_ELSEWHERE =
  /^(?:PATH|HOME|PWD|OLDPWD|IFS|ENV|CDPATH|GLOBIGNORE|OPT\w+|POSIX\w*|RANDOM|SECONDS|LINENO|HIST\w*|PS\d|PROMPT\w*|TMP\w*|TEMP|SHELL\w*|USER|LOGNAME|MAIL\w*|PAGER|EDITOR|VISUAL|BROWSER|CC|CXX|LD|AR|MAKE\w*|LESS\w*|(?:BASH|LD|DYLD|GIT|GH|NODE|NPM|npm|PNPM|YARN|BUN|DENO|PYTHON|PIP|PERL|RUBY|JAVA|MAVEN|GRADLE|GO|CARGO|RUST|XDG|SSH|SSL|AWS|KUBE|DOCKER|HOLDPOINT|GREP|RIPGREP|JQ|LS|TAR|ZIP|GZIP|FZF|FD)_?\w*|\w*(?:OPTS|OPTIONS|FLAGS|CONFIG|WRAPPER|PRELOAD|COMMAND|PROXY|proxy))$/

function isHarmless({ words, settings, loops }: PlainCommand): boolean {
  const isRead = words[0]?.text === 'read'
  const set = [...loops.map(({ name }) => name), ...(isRead ? words.slice(1).map(({ text }) => text) : [])]
  if (set.some(isReadElsewhere)) return false
  const isText = settings.every(
    ({ value }) => WORD.test(value.text) && value.segments.every(({ kind }) => kind === 'text'),
  )
  if (words.length > 0) return isText && settings.every(({ name }) => HARMLESS.test(name))
  return settings.every(({ name }) => HARMLESS.test(name) || !isReadElsewhere(name))
}

/** Variables of the environment reach the programs that the line starts. */
function isReadElsewhere(name: string): boolean {
  return READ_ELSEWHERE.test(name) || process.env[name] !== undefined
}

/** Where a variable gets its text: a word, the words of a loop, or what is not known. */
interface Setter {
  readonly name: string
  readonly from: PlainWord | PlainLoop | null
  /** The position of its command. */
  readonly at: number
}

/** Returns no setters if another script may set variables. */
function settersIn(commands: readonly PlainCommand[]): readonly Setter[] {
  if (commands.some(({ words }) => /^(?:\.|source)$/.test(words[0]?.text ?? ''))) return []
  const loops = new Set(commands.flatMap(command => command.loops))
  const own = commands.flatMap(({ words, settings, top }, at): Setter[] => {
    if (words.length === 0) return settings.map(({ name, value }) => ({ name, from: top ? value : null, at }))
    return words[0]?.text === 'read' ? words.slice(1).map(({ text: name }) => ({ name, from: null, at })) : []
  })
  return [...own, ...[...loops].map(loop => ({ name: loop.name, from: loop, at: -1 }))]
}

interface Around {
  readonly setters: readonly Setter[]
  readonly command: PlainCommand
  readonly at: number
  readonly workdir: string
}

function resolvedWord({ segments }: PlainWord, around: Around): PlainValue {
  if (isOddPattern(segments)) return null
  let values: PlainValue = [{ text: '', isPattern: false }]
  for (const segment of segments) {
    const next: PlainValue =
      segment.kind === 'text' || segment.kind === 'glob'
        ? [{ text: segment.text, isPattern: segment.kind === 'glob' }]
        : segment.kind === 'variable'
          ? variableValue(segment.name, segment.quoted, around)
          : topOfRepository(segment.text, around.workdir)
    values = values && next && joined(values, next)
  }
  return values
}

type Known = NonNullable<PlainValue>

function joined(values: Known, next: Known): PlainValue {
  const all = values.flatMap(one =>
    next.map(other => ({ text: one.text + other.text, isPattern: one.isPattern || other.isPattern })),
  )
  return all.length > MOST_LINES ? null : all
}

/** Without quotes the shell splits a value, and takes it for a pattern. */
function variableValue(name: string | null, quoted: boolean, { setters, command, at }: Around): PlainValue {
  const [setter, ...more] = setters.filter(each => each.name === name)
  if (!setter?.from || more.length > 0 || setter.at >= at) return null
  const { from } = setter
  if ('values' in from && !command.loops.includes(from)) return null
  const values = ('values' in from ? from.values : [from]).map(plainValue)
  if (values.length === 0 || values.some(value => value === null)) return null
  const known = values.flatMap(value => value ?? [])
  return quoted || known.every(({ text, isPattern }) => !isPattern && /^[\w./:=@%+,-]+$/.test(text)) ? known : null
}

/** Quoted pattern characters next to a real pattern: the text alone does not show which are quoted. */
function isOddPattern(segments: PlainWord['segments']): boolean {
  const isPattern = segments.some(({ kind }) => kind === 'glob')
  return isPattern && segments.some(({ kind, text }) => kind === 'text' && /[*?[\]{}()!@\\]/.test(text))
}

function plainValue({ segments }: PlainWord): PlainValue {
  if (isOddPattern(segments)) return null
  if (!segments.every(({ kind }) => kind === 'text' || kind === 'glob')) return null
  return [{ text: segments.map(({ text }) => text).join(''), isPattern: segments.some(({ kind }) => kind === 'glob') }]
}

/** `$(git rev-parse --show-toplevel)`, if the run works at the top of a repository of its own. */
function topOfRepository(text: string, workdir: string): PlainValue {
  return text === '$(git rev-parse --show-toplevel)' && isTopOfRepository(workdir)
    ? [{ text: workdir, isPattern: false }]
    : null
}

function isTopOfRepository(workdir: string): boolean {
  try {
    const settings =
      lstatSync(join(workdir, '.git')).isDirectory() && readFileSync(join(workdir, '.git/config'), 'utf8')
    return typeof settings === 'string' && !/worktree|include/i.test(settings)
  } catch {
    return false
  }
}

function directoriesOf(values: readonly (readonly PlainValue[])[], workdir: string): readonly string[] {
  let found = [workdir]
  for (const [program, to] of values) {
    if (program?.[0]?.text !== 'cd' || !to || to.length !== 1) continue
    found = [...new Set([...found, ...found.map(each => resolve(each, to[0]?.text ?? ''))])]
    if (found.length > MOST_LINES) throw new RangeError('it may run in too many directories')
  }
  return found
}

/** Builtins that change what later commands mean. */
const CHANGES =
  /^(?:export|alias|unalias|eval|exec|trap|shopt|unset|declare|typeset|local|readonly|enable|hash|pushd|popd|let|getopts|mapfile|readarray|builtin|command|set|cd|read|wait|ulimit|umask)$/

function partOf(command: PlainCommand, given: readonly PlainValue[], place: ReadingPlace): CommandPart {
  const values = withoutLimit(given)
  const listed = command.loops.flatMap(loop =>
    loop.values.filter(({ text, segments }) => text.startsWith('~') || segments.some(({ kind }) => kind === 'glob')),
  )
  const inputs = firstOutside([...command.inputs, ...listed].map(plainValue), place)
  if (values.length === 0) return { text: inputs === null ? '' : '< file', lines: null, beyond: inputs }
  const beyond = inputs ?? whyNotReading(values, place)
  // Where cd leads is known only of one that stays inside.
  const isRuled = values[0]?.[0]?.text === 'cd' ? beyond === null : mayBeRuled(command, values, place)
  const text = command.words.map(word => word.text).join(' ')
  return { text, lines: isRuled ? linesOf(values, place) : null, beyond }
}

function mayBeRuled({ fed, inputs }: PlainCommand, values: readonly PlainValue[], place: ReadingPlace): boolean {
  const [first, second] = values
  const program = first?.length === 1 ? (first[0]?.text ?? '') : ''
  if (program === '' || CHANGES.test(program) || isElsewhere(program, place)) return false
  const setsByName = program === 'printf' && second?.some(({ text }) => text.startsWith('-v'))
  return !setsByName && (!fed || (inputs.length === 0 && takesInput(program)))
}

/** A relative path names another program in another directory, and so may a link that leads outside. */
function isElsewhere(program: string, { directories }: ReadingPlace): boolean {
  const isRelative = program.includes('/') && !program.startsWith('/')
  return (isRelative && directories.length > 1) || isAnotherProgram(program, directories[0] ?? '/')
}

/** `timeout 60 npm test` is `npm test`. */
function withoutLimit(values: readonly PlainValue[]): readonly PlainValue[] {
  const isTimed = values[0]?.[0]?.text === 'timeout' && /^\d+(?:\.\d+)?[smh]?$/.test(values[1]?.[0]?.text ?? '')
  return isTimed && values.length > 2 ? values.slice(2) : values
}

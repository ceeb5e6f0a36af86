import { programName, type Wrapper, wrappersAtWork } from './command-wrappers.ts'
import type { ReadCommand } from './read-script.ts'
import type { ReadWord } from './words/read-word.ts'

/** Subcommands that decide for good: a person must look before an agent runs one (P1). */
const SUBCOMMANDS = 'approve reject answer edit cancel assign grants prune resume mcp checkpoint trust'
const SUBCOMMAND: ReadonlySet<string> = new Set(SUBCOMMANDS.split(' '))
/** `-c ID` with a text answers what waits there, and `-ac ID` is the same. */
const FLAG = /^(--(approve|reject|edit|answer|finish|checkpoint)\b.*|-[A-Za-z]*c.*)$/s
/** Those that few other programs have. */
const RARE_FLAG = /^--(approve|reject)(-all)?(=.*)?$/s

/** By any path, at any version, or as the file that is behind it. */
const PROGRAM = /^(holdpoint(@.*|\.\w+)?|bin\.[cm]?[jt]s)$/i
/** Hands on what it reads as words. */
const FEEDER = /^(g?xargs|(env_)?parallel|sem|rush)$/

const HOLDPOINT = /holdpoint|\bbin\.[cm]?[jt]s\b/i
const DECIDING = new RegExp(
  String.raw`\b(${SUBCOMMANDS.replaceAll(' ', '|')}|decide\w*|revoke|finish|checkpoint)\b|\s-[a-z]*c\b`,
  'i',
)

/** Names of variables by which the command line knows who decides, also as `HOLDPOINT_{WITHIN,X}` or `${!HOLD*}`. */
const WHO = /HOLDPOINT_(?!IDEMPOTENCY_KEY|STORE|MODEL|COMMAND_IDS)|\$\{!H/

/** True if shell text names the variables that say who decides. */
export function textMentionsWho(text: string): boolean {
  return WHO.test(unquoted(text))
}

/** True if text that no shell reads, or that cannot be read, may make Holdpoint decide something. */
export function textMentionsDeciding(text: string): boolean {
  const plain = unquoted(text)
  return HOLDPOINT.test(plain) && DECIDING.test(plain)
}

/** True if the command may make Holdpoint decide something, or hide from it which agent runs the command. */
export function commandMentionsDeciding({ words, input }: ReadCommand): boolean {
  const texts = words.map(({ text }) => text)
  const isCode = wrappersAtWork(texts, 0).some(({ wrapper }) => CODE.includes(wrapper.runs))
  if (isCode && textMentionsDeciding([...texts, ...input.map(word => word?.text ?? '')].join('\n'))) return true
  const around = { lastDeciding: words.findLastIndex(decides), firstFeeder: words.findIndex(isFeeder) }
  return words.some((_, at) => decidesAt(words, at, around)) || hides(words)
}

/** Found once: a word may be repeated as often as a command is long. */
interface Around {
  readonly lastDeciding: number
  readonly firstFeeder: number
}

const CODE: readonly Wrapper['runs'][] = ['code', 'input']

function decidesAt(words: readonly ReadWord[], at: number, { lastDeciding, firstFeeder }: Around): boolean {
  const word = words[at] as ReadWord
  if (PROGRAM.test(programName(word.text)) || PROGRAM.test(programName(word.bare ?? ''))) {
    return lastDeciding > at || isUnknown(words, at + 1) || (firstFeeder >= 0 && firstFeeder < at)
  }
  if (word.literal) return false
  // It may be any program.
  const isRare = at === 0 && words.some(({ text }, behind) => behind > 0 && RARE_FLAG.test(text))
  return SUBCOMMAND.has(words[at + 1]?.text ?? '') || isRare
}

function decides({ text }: ReadWord): boolean {
  return SUBCOMMAND.has(text) || FLAG.test(text)
}

/** The subcommand comes first, so what stands there must be known. */
function isUnknown(words: readonly ReadWord[], from: number): boolean {
  let at = from
  while (words[at]?.text === '--') at++
  return words[at]?.literal === false
}

function isFeeder({ text }: ReadWord): boolean {
  return FEEDER.test(programName(text))
}

const CLEARS = /^(-|-[A-Za-z]*i.*|--i.*)$/s
const CLEARS_ALL = /^-[al]*c/
const UNSETS = /^(-u.*|--u.*)$/s

function isPlain(words: readonly ReadWord[], at: number): boolean {
  return words[at]?.literal === true && words[at + 1]?.literal !== false
}

/** True if a program takes variables away from a command without naming them: `env -i`, `unset $X`, `exec -c`. */
function hides(words: readonly ReadWord[]): boolean {
  const names = words.map(({ text }) => programName(text))
  // Words behind a later one stand behind the first one, too.
  const behind = (name: string) => (names.includes(name) ? words.slice(names.indexOf(name) + 1) : [])
  const clearsAll = names.some((name, at) => name === 'exec' && CLEARS_ALL.test(words[at + 1]?.text ?? ''))
  return clearsAll || takesAway(behind('env')) || behind('unset').some(({ literal }) => !literal)
}

function takesAway(words: readonly ReadWord[]): boolean {
  return words.some(({ text }, at) => CLEARS.test(text) || (UNSETS.test(text) && !isPlain(words, at)))
}

function unquoted(text: string): string {
  return text.replace(/\\\n|['"\\]/g, '')
}

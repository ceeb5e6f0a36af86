import type { AskedTask } from '../../hold/act.ts'
import { type Hold, usualMessage } from '../../hold/hold.ts'
import { changesText } from '../../text/differences.ts'
import { isJsonObject, type JsonObject } from '../../text/json.ts'
import { visibleLine } from '../../text/visible-text.ts'

/** In characters. */
const LONGEST_TITLE = 120
/** The characters of its end that a long title keeps: a command may end in what matters most. */
const KEPT_END = 36

/** A title in one visible line. If it is too long, its middle is left out. */
export function titleLine(title: string): string {
  const letters = [...visibleLine(inOneLine(title))]
  if (letters.length <= LONGEST_TITLE) return letters.join('')
  return `${letters.slice(0, LONGEST_TITLE - KEPT_END - 1).join('')}…${letters.slice(-KEPT_END).join('')}`
}

/** True of a title whose middle may be left out. */
export function isCutTitle(title: string): boolean {
  return [...title].length >= LONGEST_TITLE
}

/** Line breaks become a sign that a person reads at a glance. */
export function inOneLine(text: string): string {
  return text.trim().replaceAll(/\r?\n/g, ' ⏎ ').replaceAll('\t', ' ')
}

/** The first line of a text; if that is too long for a title, its first sentence, if that one fits. */
function firstSentence(text: string): string {
  const [line = ''] = text.trim().split(/\r?\n/, 1)
  if (line.length <= LONGEST_TITLE) return line
  return /^\s*\S.{0,118}?[.?!](?=\s)/.exec(line)?.[0] ?? line
}

type Titled = Pick<Hold, 'title' | 'tool' | 'kind' | 'message'>

/**
 * The act or the question of a hold in one visible line: the headline on every surface. An act that was approved with
 * other arguments is not the one of the title, so that its changes are in the headline too.
 */
export function headline(hold: Titled & Partial<Pick<Hold, 'decision' | 'arguments'>>): string {
  const { decision, arguments: asked = null } = hold
  const approved = decision?.verdict === 'edit' ? decision.arguments : null
  const act = askedHeadline(hold)
  const changes = isJsonObject(asked) && isJsonObject(approved) ? changesText(asked, approved) : ''
  return changes === '' ? act : titleLine(`${act} (changed: ${changes})`)
}

function askedHeadline({ title, kind, tool, message }: Titled): string {
  if (title !== undefined) return title
  if (kind !== 'question' && tool !== null) return titleLine(tool)
  return titleLine(withoutMarks(firstSentence(message)) || usualMessage(tool ?? 'the call'))
}

/** A headline is no Markdown: the words without its marks. The text as it was written stands below then. */
function withoutMarks(text: string): string {
  return text.replace(/^#{1,6}\s+/, '').replaceAll(/\*\*|__|`/g, '')
}

/** `release 1.4.3 · asked by ana · in ~/shop on main (build-7)`, in one visible line. */
export function taskLine({ text, by, directory, branch, host }: AskedTask): string {
  const place = `in ${directory}${branch === null ? '' : ` on ${branch}`}${host === '' ? '' : ` (${host})`}`
  return visibleLine([text, ...(by === null ? [] : [`asked by ${by}`]), place].filter(part => part !== '').join(' · '))
}

/** Arguments that say the act themselves. */
const SAYINGS = ['command', 'question', 'action', 'prompt'] as const

/** The act of a call in one visible line, without its tool: `git push origin main`, `write_file notes.md`, `refund`. */
export function callAct(name: string, args: JsonObject | string): string {
  const given = isJsonObject(args) ? args : {}
  const said = firstText(given, SAYINGS)
  const thing = firstText(given, THINGS)
  return titleLine(said ?? (thing === undefined ? name : `${name} ${thing}`))
}

function firstText(args: JsonObject, names: readonly string[]): string | undefined {
  const texts = names.map(name => args[name]).filter(value => typeof value === 'string')
  return texts.find(text => text.trim() !== '')
}

/** Arguments that name what an act is about, the most telling first. */
const THINGS = ['host', 'hostname', 'url', 'database', 'db', 'branch', 'path', 'file', 'to', 'name', 'id'] as const
/** A thing that a person can type. */
const TYPED = /^[\w.@-]{2,40}$/

/**
 * The thing that the act names: a host, the last part of a path, a database, a branch; the tool's name, if it names none.
 * People type it before they override a policy.
 */
export function thingNamed({ tool, arguments: args }: Pick<Hold, 'tool' | 'arguments'>): string {
  const given = isJsonObject(args) ? args : {}
  const words =
    typeof given['command'] === 'string' ? given['command'].split(/\s+/).toReversed() : THINGS.map(name => given[name])
  const things = words.flatMap(word =>
    typeof word === 'string' && !word.startsWith('-') ? (lastPart(word) ?? []) : [],
  )
  return things.find(thing => TYPED.test(thing)) ?? tool ?? 'yes'
}

function lastPart(word: string): string | undefined {
  const plain = word.replaceAll(/["'`;]/g, '')
  if (/^\w+:\/\//.test(plain) && URL.canParse(plain)) return new URL(plain).hostname
  return plain.split('/').findLast(part => part !== '')
}

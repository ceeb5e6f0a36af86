/** A hold as rows of the bar: one line of facts, and all that is decided about (P9: nothing is left out). */
import { describeEffect, whenDue } from '../../../core/deadlines/describe-due.ts'
import type { Hold, HoldKind } from '../../../core/hold/hold.ts'
import { usualMessage } from '../../../core/hold/hold.ts'
import { approvalsNeeded } from '../../../core/hold/may-decide.ts'
import { argumentChanges } from '../../../core/hold-view/argument-changes.ts'
import type { ChangeLine } from '../../../core/hold-view/change-lines.ts'
import { holdRemarks } from '../../../core/hold-view/hold-remarks.ts'
import { jsonText, namedBasis, SAYS_NEVER } from '../../../core/hold-view/hold-words.ts'
import { previewLines } from '../../../core/hold-view/preview-lines.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/text/json.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import type { Style } from '../../display/colours.ts'
import { chopped, flowed } from '../screen/flow.ts'
import { type Line, line, lineText } from '../screen/line.ts'

const ASKS: Record<HoldKind, string> = {
  approval: 'needs approval',
  question: 'asks',
  input: 'waits for a message',
  client_tool: 'runs elsewhere: its result is wanted',
  in_doubt: 'in doubt: did it happen?',
}

export interface CardSite {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The rule that asked for it, if it is known. */
  readonly rule: string | null
}

/** `run_command · needs approval · due in 23 h: its run cancelled · rule: default prompt` */
export function factsOf(hold: Hold, { now, rule }: CardSite): string {
  const { tool, kind, due_at, destructive, votes } = hold
  const need = approvalsNeeded(hold)
  const facts = [
    ...(tool === null ? [] : [tool]),
    ASKS[kind],
    ...(destructive ? ['cannot be taken back'] : []),
    ...(need > 1 ? [`${votes.length} of ${need} approved`] : []),
    ...(due_at === null ? [] : [`due ${whenDue(due_at, now)}: ${describeEffect(hold)}`]),
    ...(rule === null ? [] : [`rule: ${rule}`]),
  ]
  return visibleLine(facts.join(' · '))
}

const INDENT = '   '

/** `prose` is broken between words; of anything else each blank counts. */
type Said = readonly [text: string, style: Style | null, is?: 'prose']

/** No approver reads more than this at a bar. */
const MOST_CHARACTERS = 100_000
const MOST_ROWS = 2_000

export interface Card {
  readonly rows: readonly Line[]
  /** Characters that have no row, because it is too long for a bar; the last row says how many. */
  readonly left: number
}

/** In rows that are no wider than `columns`. `before`: what was asked about the same call before. */
export function cardOf(hold: Hold, before: JsonObject | null, columns: number): Card {
  const { texts, left: unread } = firstOf(said(hold, before))
  const all = texts.flatMap(([text, style, is]) => rowsOf(text, columns, is).map(row => line(`${INDENT}${row}`, style)))
  const rows = all.slice(0, MOST_ROWS)
  const left = all.slice(MOST_ROWS).reduce((sum, row) => sum + lineText(row).length - INDENT.length, unread)
  if (left === 0) return { rows, left }
  const more = `${left.toLocaleString('en-US')} more characters: /show ${nameOf(hold)}`
  return { rows: [...rows, line(`${INDENT}(${more})`, 'magenta')], left }
}

/** The texts up to the bound, and how many characters are left. */
function firstOf(all: readonly Said[]): { readonly texts: readonly Said[]; readonly left: number } {
  let room = MOST_CHARACTERS
  let left = 0
  const texts = all.map(([text, ...how]): Said => {
    const shown = text.slice(0, room)
    room -= shown.length
    left += text.length - shown.length
    return [shown, ...how]
  })
  return { texts: texts.filter(([text], index) => text !== '' || all[index]?.[0] === ''), left }
}

/** As slash commands name it. */
export function nameOf({ id, call_id }: Pick<Hold, 'id' | 'call_id'>): string {
  return call_id ?? id
}

function rowsOf(text: string, columns: number, is: Said[2]): string[] {
  const width = columns - INDENT.length
  const lines = visibleText(text.replaceAll('\t', '    ')).split('\n')
  if (is === undefined) return lines.flatMap(each => chopped(each, width))
  return lines.flatMap(each =>
    flowed(line(each), width, CHOICE.exec(each) ? CHOICE_INDENT : '').map(row => lineText(row).trimEnd()),
  )
}

/** `2  west`. */
const CHOICE = /^\d+ {2}/
const CHOICE_INDENT = '   '

function said(hold: Hold, before: JsonObject | null): readonly Said[] {
  const { message, tool, context, choices, response_schema, preview } = hold
  const basis = namedBasis(hold)
  const would = preview ? previewLines(preview).map(changed) : []
  // A change says more than the two texts that it is made of.
  const isChange = preview?.parts.some(({ type }) => type === 'diff') === true
  return [
    ...(hold.overrides_never ? [[SAYS_NEVER, 'red'] as const] : []),
    ...changesSince(before, hold),
    ...prose(message === usualMessage(tool ?? '') ? [] : [message]),
    ...prose(holdRemarks(hold)),
    ...(isChange ? would : []),
    ...plain(argumentRows(hold)),
    ...plain(context === null ? [] : [`context: ${jsonText(context)}`]),
    ...plain(basis === null ? [] : [`on the basis of: ${jsonText(basis)}`]),
    ...prose((choices ?? []).map((choice, index) => `${index + 1}  ${choice}`)),
    ...plain(response_schema === null ? [] : [`the answer must match ${JSON.stringify(response_schema)}`]),
    ...(isChange ? [] : would),
  ]
}

function plain(texts: readonly string[]): Said[] {
  return texts.map(text => [text, null])
}

function prose(texts: readonly string[]): Said[] {
  return texts.map(text => [text, null, 'prose'])
}

/** P9: what is asked about the call now is not what was asked before. */
function changesSince(before: JsonObject | null, { arguments: args }: Hold): Said[] {
  const changes = before && isJsonObject(args ?? null) ? argumentChanges(before, args as JsonObject) : []
  return changes.length === 0 ? [] : [['It is not what was asked before:', 'magenta'], ...changes.map(changed)]
}

function changed({ what, text }: ChangeLine): Said {
  return [text, CHANGED[what] ?? null]
}

const CHANGED: Readonly<Record<string, Style>> = { place: 'bold', was: 'red', is: 'green' }

function argumentRows({ kind, arguments: args }: Hold): string[] {
  if (kind === 'question' || args === null) return []
  if (typeof args === 'string') return [args]
  const [only, ...more] = Object.entries(args)
  if (only === undefined) return ['no arguments']
  if (more.length === 0 && typeof only[1] === 'string') return [only[1]]
  return [only, ...more].flatMap(([name, value]) => argumentText(name, value))
}

/** A text of several lines is set in below its name, so that no line of it looks like an argument. */
function argumentText(name: string, value: Json): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  if (!text.includes('\n')) return [`${visibleLine(name)}: ${typeof value === 'string' ? JSON.stringify(value) : text}`]
  return [`${visibleLine(name)}:`, ...text.split('\n').map(each => `  ${each}`)]
}

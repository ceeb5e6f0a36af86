/** A hold as rows of the bar: one line of facts, and all that is decided about (P9: nothing is left out). */
import { describeEffect, whenDue } from '../../../core/deadlines/describe-due.ts'
import type { Hold, HoldKind } from '../../../core/hold/hold.ts'
import { approvalsNeeded } from '../../../core/hold/may-decide.ts'
import { headline, taskLine } from '../../../core/hold-view/blocks/act-words.ts'
import { argumentChanges } from '../../../core/hold-view/blocks/argument-changes.ts'
import { blockLines } from '../../../core/hold-view/blocks/block-lines.ts'
import type { ChangeLine } from '../../../core/hold-view/blocks/change-lines.ts'
import { type Block, holdBlocks } from '../../../core/hold-view/blocks/hold-blocks.ts'
import { isJsonObject, type JsonObject } from '../../../core/text/json.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import { LINE_STYLES } from '../../display/painted-lines.ts'
import type { Style } from '../../display/screen.ts'
import { chopped, flowed, type Line, line, lineText } from '../screen/flow.ts'

/** An approval needs no words: its keys say it. */
const ASKS: Record<HoldKind, string | null> = {
  approval: null,
  question: 'asks',
  input: 'waits for a message',
  client_tool: 'runs elsewhere: its result is wanted',
  in_doubt: 'in doubt: did it happen?',
}

export interface CardDeps {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The rule that asked for it, if it is known. */
  readonly rule: string | null
}

/** `run_command · 1 of 2 approved · due in 23 h: its run cancelled · rule: default: prompt` */
export function factsOf(hold: Hold, { now, rule }: CardDeps): string {
  const { tool, kind, due_at, votes } = hold
  const need = approvalsNeeded(hold)
  const facts = [
    ...(tool === null ? [] : [tool]),
    ...(ASKS[kind] === null ? [] : [ASKS[kind]]),
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
  /** So many of the rows say all that happens; the arguments behind them say it once more. */
  readonly telling: number
  /** Characters without a row, because the text is too long for a bar; the last row has their number. */
  readonly left: number
}

/** In rows that are no wider than `columns`. `before`: what was asked about the same call before. */
export function cardOf(hold: Hold, before: JsonObject | null, columns: number): Card {
  const { telling, repeating } = said(hold, before)
  const { texts, left: unread } = firstOf([...telling, ...repeating])
  const inRows = texts.map(([text, style, is]) => rowsOf(text, columns, is).map(row => line(`${INDENT}${row}`, style)))
  const all = inRows.flat()
  const rows = all.slice(0, MOST_ROWS)
  const left = all.slice(MOST_ROWS).reduce((sum, row) => sum + lineText(row).length - INDENT.length, unread)
  if (left === 0) return { rows, left, telling: inRows.slice(0, telling.length).flat().length }
  const more = `${left.toLocaleString('en-US')} more characters: /show ${nameOf(hold)}`
  return { rows: [...rows, line(`${INDENT}(${more})`, 'magenta')], left, telling: rows.length + 1 }
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

/** The name in slash commands. */
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

interface AllSaid {
  readonly telling: readonly Said[]
  /** Arguments that an effect above shows already. */
  readonly repeating: readonly Said[]
}

function said(hold: Hold, before: JsonObject | null): AllSaid {
  const { task = null } = hold
  const blocks = holdBlocks(hold)
  const isRepeated = (block: Block) => block.type === 'value' && block.isFolded
  return {
    telling: [
      [headline(hold), 'bold', 'prose'],
      ...(task ? [[taskLine(task), 'dim', 'prose'] as const] : []),
      ...changesSince(before, hold),
      ...blockLines(blocks.filter(block => !isRepeated(block))).map(saidOf),
    ],
    repeating: blockLines(blocks.filter(isRepeated)).map(saidOf),
  }
}

/** P9: what is asked about the call now is not what was asked before. */
function changesSince(before: JsonObject | null, { arguments: args }: Hold): Said[] {
  const changes = before && isJsonObject(args ?? null) ? argumentChanges(before, args as JsonObject) : []
  return changes.length === 0 ? [] : [['It is not what was asked before:', 'magenta'], ...changes.map(saidOf)]
}

function saidOf({ what, text }: ChangeLine): Said {
  return FLOWS.has(what) ? [text, LINE_STYLES[what], 'prose'] : [text, LINE_STYLES[what]]
}

/** Lines that are broken between words. */
const FLOWS: ReadonlySet<ChangeLine['what']> = new Set(['bad', 'warn', 'prose', 'choice'])

/** The approval bar as lines: what waits, all of one hold, and what its keys do. */
import type { Hold, HoldKind } from '../../../core/hold/hold.ts'
import { shortened, textWidth } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { type ApprovalBar, type BarLine, wordFor } from '../bar/approval-bar.ts'
import { nameOf } from '../bar/card.ts'
import { cutTo, flowed, type Line, line, lineText } from '../screen/flow.ts'

/** The row of the keys. */
const AROUND = 1
/**
 * Rows of a card that are shown before the bar has the keyboard. A question is shown in full, because the draft answers
 * it.
 */
const GLANCE = 6

/** How many rows the bar would like to have. */
export function wantedRows(bar: ApprovalBar, facts: string, columns: number): number {
  const rows = bar.size(columns)
  const isWhole = bar.isFocused || bar.current?.kind === 'question'
  return AROUND + factsRows(bar, facts, columns).length + (isWhole ? rows : Math.min(rows, GLANCE))
}

interface BarLines {
  readonly lines: readonly Line[]
  /** If a line of text is typed at the bar. */
  readonly cursor: { readonly line: number; readonly column: number } | null
}

export function barLines(
  bar: ApprovalBar,
  facts: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): BarLines {
  const hold = bar.current
  if (hold === null || rows === 0) return { lines: [], cursor: null }
  if (rows < AROUND + 2) return narrow(bar, facts, { hold, rows, columns })
  const first = factsRows(bar, facts, columns)
  // The card matters more than the end of the facts, which is marked as cut.
  const spare = rows - AROUND - bar.size(columns)
  const told = withMark(first, Math.max(1, Math.min(first.length, spare)), columns)
  const card = bar.draw(columns, rows - AROUND - told.length)
  const typed = bar.line === null ? null : typedLine(bar.line, hold)
  const lines = [...told, ...card.rows, typed ?? line(keysText(bar, hold, card.more), bar.isFocused ? 'bold' : 'dim')]
  return { lines, cursor: typed && { line: lines.length - 1, column: textWidth(lineText(typed)) } }
}

interface Narrow {
  readonly hold: Hold
  readonly rows: number
  readonly columns: number
}

/** In a terminal of a few rows: the facts or the keys, and a row of the card. */
function narrow(bar: ApprovalBar, facts: string, { hold, rows, columns }: Narrow): BarLines {
  const typed = bar.line === null ? null : typedLine(bar.line, hold)
  const { rows: card, more } = bar.draw(columns, Math.max(0, rows - 1))
  const waits = shortened(`${bar.holds.length} wait (Tab): ${facts}`, columns)
  const first = typed ?? line(bar.isFocused ? keysText(bar, hold, more) : waits, 'magenta')
  return { lines: [...card, first], cursor: typed && { line: card.length, column: textWidth(lineText(typed)) } }
}

/** `─ 2 wait · 1/2 run_command · rule: default: prompt ─`, in as many rows as it needs: P9, the rule that asked is among them. */
function factsRows(bar: ApprovalBar, facts: string, columns: number): readonly Line[] {
  const { length } = bar.holds
  const count = length === 1 ? '1 waits' : `${length} wait · ${bar.index + 1}/${length}`
  const row: Line = [
    { text: `─ ${count} `, style: 'magenta' },
    { text: `${length === 1 ? '· ' : ''}${facts} ─`, style: 'dim' },
  ]
  return flowed(row, columns, FACTS_INDENT)
}

const FACTS_INDENT = '  '

/** The first rows; the last of them ends in `…` if there are more. */
function withMark(rows: readonly Line[], count: number, columns: number): readonly Line[] {
  const shown = rows.slice(0, count)
  const last = shown.at(-1)
  if (last === undefined || count === rows.length) return shown
  return [...shown.slice(0, -1), [...cutTo(last, columns - 1), { text: '…', style: 'dim' }]]
}

/** The letters that decide, by kind. */
const KEYS: Record<HoldKind, string> = {
  approval: 'a approve · r reject · e edit · A always',
  question: 'r decline · Esc, then type the answer',
  input: 'Esc, then type',
  client_tool: 'r reject · /answer ID RESULT',
  in_doubt: 'a run it again · r it failed · /answer ID RESULT if it happened',
}

function keysText(bar: ApprovalBar, hold: Hold, more: number): string {
  const hidden = hiddenText(more, bar.left)
  if (!bar.isFocused) {
    const how = hold.kind === 'question' ? 'type a number or an answer, Enter sends it' : 'Tab to decide'
    return ` ${[how, hidden].filter(text => text !== '').join(' · ')}`
  }
  const others = bar.holds.length > 1 ? ' · ←→ others' : ''
  const scrolls = bar.isSeen ? KEYS[hold.kind] : unseenKeys(bar, hold, hidden)
  const below = bar.isSeen && more > 0 ? ' · ↓ arguments' : ''
  return ` ${scrolls}${below}${others} · Esc back`
}

/** `(1,961 more lines, then 1,889,967 characters)`. */
function hiddenText(lines: number, characters: number): string {
  if (lines === 0) return ''
  const rest = characters === 0 ? '' : `, then ${characters.toLocaleString('en-US')} characters`
  return `(${lines.toLocaleString('en-US')} more ${lines === 1 ? 'line' : 'lines'}${rest})`
}

function unseenKeys(bar: ApprovalBar, hold: Hold, hidden: string): string {
  if (bar.isTooLong) return `too long for the bar: /show ${nameOf(hold)}, then /approve ${nameOf(hold)} · r reject`
  return `↓ to its end, then approve · r reject ${hidden}`
}

const ASKS: Record<BarLine['asks'], (hold: Hold) => string> = {
  reason: () => 'Why not? (Enter rejects it, Esc goes back) ',
  grant: () => 'Allow exactly this in this session from now on, under the name (Enter, or Esc): ',
  spell: hold => `Type ${wordFor(hold) ?? ''} to let it run (Esc goes back): `,
}

function typedLine({ asks, text }: BarLine, hold: Hold): Line {
  return [
    { text: ` ${ASKS[asks](hold)}`, style: 'magenta' },
    { text: visibleLine(text), style: null },
  ]
}

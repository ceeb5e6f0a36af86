/** The lines below the scrollback: at most half of the terminal, or nearly all of it while the bar has the keys. The draft is last. */
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { ApprovalBar } from '../bar/approval-bar.ts'
import type { Draft } from '../draft/draft.ts'
import { draftRows } from '../draft/draft-rows.ts'
import { cutTo, flowed, type Line, line } from '../screen/flow.ts'
import type { Below } from '../screen/screen.ts'
import { barLines, wantedRows } from './bar-lines.ts'

export interface LayoutFacts {
  readonly columns: number
  readonly height: number
  readonly bar: ApprovalBar
  /** The facts of the hold that the bar shows. */
  readonly barFacts: string
  readonly draft: Draft
  /** The text that arrives, and the work under way. */
  readonly live: readonly Line[]
  readonly queued: readonly string[]
  /** A line for the person, until the next key. */
  readonly notice: Line | null
  /** The rows of the menu of commands; none if it is closed. */
  readonly menu: readonly Line[]
  readonly status: string
  /** The text of the draft answers the question that the bar shows. */
  readonly answers: boolean
}

const LEAST = 2
/** A bar that is decided at may take all rows but these, of a small terminal all but one. */
const KEPT = 3
const SMALL = 14
const MOST_DRAFT = 8
const MOST_NOTICE = 3
const NOTICE_INDENT = ' '

export function layOut(facts: LayoutFacts): Below {
  const { bar, columns } = facts
  const room = new Room(facts)
  const waits = bar.holds.length > 0
  const draft = draftPart(facts, Math.max(1, Math.min(MOST_DRAFT, room.left - (waits ? 2 : 1))))
  room.take(draft.lines.length)
  const status = rule(facts.status, columns)
  // Taken in the order of what matters, drawn in the order of the screen.
  const statusRows = [status].slice(0, room.take(1))
  const menu = facts.menu.slice(0, room.take(facts.menu.length))
  const notice = facts.notice ? flowed(facts.notice, columns, NOTICE_INDENT) : []
  const noticeRows = notice.slice(0, room.take(Math.min(notice.length, MOST_NOTICE)))
  const wanted = waits ? wantedRows(bar, facts.barFacts, columns) : 0
  const drawn = barLines(bar, facts.barFacts, { columns, rows: room.take(wanted) })
  const queued = facts.queued.length > 0 ? [queuedLine(facts.queued)].slice(0, room.take(1)) : []
  const live = lastOf(facts.live, room.take(facts.live.length))
  const before = [...live, ...queued]
  const above = [...before, ...drawn.lines, ...noticeRows, ...menu, ...statusRows]
  const cursor = drawn.cursor
    ? { line: before.length + drawn.cursor.line, column: drawn.cursor.column }
    : { line: above.length + draft.row, column: draft.column }
  return { lines: [...above, ...draft.lines], cursor }
}

/** The rows that are left below the scrollback. */
class Room {
  left: number

  constructor({ height, bar }: Pick<LayoutFacts, 'height' | 'bar'>) {
    const kept = height < SMALL ? 1 : KEPT
    this.left = Math.max(LEAST, bar.isFocused ? height - kept : Math.floor(height / 2))
  }

  /** Takes up to this number of rows. */
  take(rows: number): number {
    const taken = Math.max(0, Math.min(rows, this.left))
    this.left -= taken
    return taken
  }
}

function lastOf(lines: readonly Line[], count: number): readonly Line[] {
  return lines.slice(lines.length - count)
}

/** `─ support · claude · ready ─`. It is no wider than its text: a terminal that gets narrower then wraps nothing anew. */
function rule(text: string, columns: number): Line {
  return cutTo(line(`─ ${text} ─`, 'dim'), columns)
}

function queuedLine(queued: readonly string[]): Line {
  const [first = '', ...more] = queued
  return line(`  queued: ${visibleLine(first)}${more.length > 0 ? ` (and ${more.length} more)` : ''}`, 'dim')
}

interface DraftPart {
  readonly lines: readonly Line[]
  readonly row: number
  readonly column: number
}

function draftPart({ draft, columns, bar, answers }: LayoutFacts, most: number): DraftPart {
  const prompt = answers ? 'answer › ' : '› '
  const width = Math.max(2, columns - prompt.length)
  const { rows, cursor } = draftRows(draft, width, most)
  const style = bar.isFocused ? 'dim' : null
  const lines = rows.map(
    (row, index): Line => [
      { text: index === 0 ? prompt : ' '.repeat(prompt.length), style: answers ? 'magenta' : 'bold' },
      { text: row, style },
    ],
  )
  return { lines, row: cursor.row, column: prompt.length + cursor.column }
}

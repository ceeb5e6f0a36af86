import { whenDue } from '../../../core/deadlines/describe-due.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { holdOutcome, holdSummary } from '../../../core/hold-view/hold-words.ts'
import { agentPath } from '../../../core/run/run-path.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { type Paint, paintFor, type Style } from '../../display/colours.ts'
import { cutLine } from '../../display/cut-line.ts'
import { columns, table } from '../../display/table.ts'
import { systemClock } from '../../process/system-clock.ts'
import type { PlacedHold } from './placed-holds.ts'

const NONE = '-'

/** For people: in a terminal as it looks best there, otherwise in columns. */
export function listText(context: CommandContext, holds: readonly PlacedHold[]): string {
  const { io } = context
  if (holds.length === 0) return 'No holds.\n'
  if (!io.isTerminal) return holdTable(holds)
  return holdScreen(holds, { now: systemClock.now(), width: io.width(), paint: paintFor(context) })
}

/** For programs and pipes: one line for each hold, in columns, with times as they are and nothing cut. */
export function holdTable(holds: readonly PlacedHold[]): string {
  const head = ['HOLD', 'STATUS', 'KIND', 'AGENT', 'TOOL', 'OPENED', 'DUE', 'ASSIGNEE', 'SUMMARY']
  const cells = holds.map(hold => [
    hold.id,
    hold.status,
    hold.kind,
    name(agentPath(hold)),
    name(hold.tool),
    hold.opened_at,
    hold.due_at ?? NONE,
    name(hold.assignee),
    holdSummary(hold),
  ])
  return table(head, cells)
}

export interface Screen {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly width: number
  readonly paint: Paint
}

/** For people in a terminal: two lines for each hold, with times as seen from now. */
export function holdScreen(holds: readonly PlacedHold[], screen: Screen): string {
  const heads = columns(holds.map(hold => headCells(hold, screen.now)))
  const text = (hold: PlacedHold, index: number) =>
    `${headLine(hold, heads[index] ?? [], screen)}\n  ${cutLine(bodyOf(hold), screen.width - 2)}\n`
  return holds.map(text).join('')
}

function headCells(hold: PlacedHold, now: number): string[] {
  return [
    hold.id,
    hold.kind,
    name(agentPath(hold)),
    name(hold.tool),
    `${durationText(now - Date.parse(hold.opened_at))} old`,
    [dueText(hold, now), ...(hold.assignee === null ? [] : [`for ${name(hold.assignee)}`]), ...votesOf(hold)]
      .filter(part => part !== '')
      .join(', '),
  ]
}

function dueText({ status, due_at }: Hold, now: number): string {
  if (status !== 'open' || due_at === null) return ''
  const when = whenDue(due_at, now)
  return when.startsWith('in') ? `due ${when}` : when
}

function votesOf({ status, votes, deciders }: Hold): string[] {
  const need = deciders?.quorum ?? 1
  return need > 1 && status === 'open' ? [`${votes.length} of ${need} approvals`] : []
}

const CELL_STYLES: readonly (Style | null)[] = ['bold', 'cyan', null, null, 'dim']

function headLine(hold: Hold, cells: readonly string[], { now, paint }: Screen): string {
  const isLate = hold.status === 'open' && hold.due_at !== null && Date.parse(hold.due_at) <= now
  const styles = [...CELL_STYLES, isLate ? ('red' as const) : null]
  const painted = cells.map((cell, index) => {
    const [style, text] = [styles[index], cell.trimEnd()]
    return `${style ? paint(style, text) : text}${' '.repeat(cell.length - text.length)}`
  })
  return painted.join('  ').trimEnd()
}

function bodyOf(hold: Hold): string {
  const outcome = holdOutcome(hold)
  return outcome === '' ? holdSummary(hold) : `${outcome}: ${holdSummary(hold)}`
}

function name(text: string | null): string {
  return text === null || text === '' ? NONE : visibleLine(text)
}

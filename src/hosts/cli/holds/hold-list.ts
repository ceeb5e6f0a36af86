import { whenDue } from '../../../core/deadlines/describe-due.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { approvalsNeeded } from '../../../core/hold/may-decide.ts'
import { holdOutcome, holdSummary } from '../../../core/hold-view/hold-words.ts'
import { agentPath } from '../../../core/run/run-path.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { ago } from '../../display/ago.ts'
import { type Screen, screenFor } from '../../display/screen.ts'
import { type Cell, type Column, plainTable, screenTable } from '../../display/table.ts'
import type { PlacedHold } from './placed-holds.ts'

const NONE = '-'

/** For people: in a terminal as it looks best there, otherwise in columns. */
export function listText(context: CommandContext, holds: readonly PlacedHold[]): string {
  if (holds.length === 0) return 'No holds.\n'
  const screen = screenFor(context)
  return screen ? holdScreen(holds, screen) : holdTable(holds)
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
  return plainTable(head, cells)
}

const COLUMNS: readonly Column[] = [
  { head: 'HOLD' },
  { head: 'KIND' },
  { head: 'AGENT', least: 8 },
  { head: 'TOOL', least: 8 },
  { head: 'OPENED' },
  { head: 'DUE', least: 10 },
]

/** For people in a terminal: two lines for each hold, with times as seen from now. */
export function holdScreen(holds: readonly PlacedHold[], screen: Screen): string {
  const rows = holds.map(hold => ({ cells: cellsOf(hold, screen.now), below: bodyOf(hold) }))
  return screenTable(COLUMNS, rows, screen)
}

function cellsOf(hold: PlacedHold, now: number): Cell[] {
  const isLate = hold.status === 'open' && hold.due_at !== null && Date.parse(hold.due_at) <= now
  const due = [dueText(hold, now), ...(hold.assignee === null ? [] : [`for ${name(hold.assignee)}`]), ...votesOf(hold)]
    .filter(part => part !== '')
    .join(', ')
  return [
    { text: hold.id, style: 'bold' },
    { text: hold.kind, style: 'cyan' },
    name(agentPath(hold)),
    name(hold.tool),
    { text: ago(hold.opened_at, now), style: 'dim' },
    isLate ? { text: due, style: 'red' } : due,
  ]
}

function dueText({ status, due_at }: Hold, now: number): string {
  return status !== 'open' || due_at === null ? '' : whenDue(due_at, now)
}

function votesOf(hold: Hold): string[] {
  const need = approvalsNeeded(hold)
  return need > 1 && hold.status === 'open' ? [`${hold.votes.length} of ${need} approvals`] : []
}

function bodyOf(hold: Hold): string {
  const outcome = holdOutcome(hold)
  return outcome === '' ? holdSummary(hold) : `${outcome}: ${holdSummary(hold)}`
}

function name(text: string | null): string {
  return text === null || text === '' ? NONE : visibleLine(text)
}

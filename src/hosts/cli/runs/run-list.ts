import type { Hold } from '../../../core/hold/hold.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { CommandContext } from '../../command/command.ts'
import type { App } from '../../compose/compose.ts'
import { ago } from '../../display/ago.ts'
import type { Style } from '../../display/colours.ts'
import { type Screen, screenFor } from '../../display/screen.ts'
import { type Cell, type Column, plainTable, screenTable } from '../../display/table.ts'
import { wrapped } from '../../display/wrap.ts'
import { aboutText } from './about-text.ts'
import { READY_NOTE, standingOf } from './standing.ts'

export interface ListedRun {
  readonly row: RunRow
  /** How many runs are above it. */
  readonly level: number
}

/** All that is known of the listed runs beside their rows, by run id. */
export interface Known {
  readonly inputs: ReadonlyMap<string, string>
  readonly waits: ReadonlyMap<string, readonly string[]>
}

export async function knownOf(
  { holdpoint, runInputs }: Pick<App, 'holdpoint' | 'runInputs'>,
  rows: readonly RunRow[],
): Promise<Known> {
  const waiting = rows.filter(({ status, exported }) => status === 'waiting' && !exported)
  const waits = waiting.map(
    async ({ id }) => [id, waitsFor(await holdpoint.holds({ run_id: id, status: 'open' }))] as const,
  )
  return { inputs: await runInputs(rows), waits: new Map(await Promise.all(waits)) }
}

export async function runList(
  context: CommandContext,
  app: Pick<App, 'holdpoint' | 'runInputs'>,
  runs: readonly ListedRun[],
): Promise<string> {
  if (runs.length === 0) return 'No runs.\n'
  const known = await knownOf(
    app,
    runs.map(({ row }) => row),
  )
  const screen = screenFor(context)
  return screen ? runScreen(runs, known, screen) : runTable(runs, known)
}

/** `run_command`, `question`, `input`: the tools whose calls wait, else the kind of what waits. */
function waitsFor(holds: readonly Hold[]): string[] {
  return holds.map(({ kind, tool }) => (kind === 'question' || tool === null ? kind : tool))
}

/** Each name once, with how often it comes. */
function inShort(names: readonly string[] = []): string {
  const counts = Map.groupBy(names, name => name)
  return [...counts].map(([name, { length }]) => `${visibleLine(name)}${length === 1 ? '' : `*${length}`}`).join(',')
}

function runTable(runs: readonly ListedRun[], { inputs, waits }: Known): string {
  const cells = runs.map(({ row, level }) => [
    `${'  '.repeat(level)}${row.id}`,
    standingOf(row),
    row.ended ?? '',
    visibleLine(row.agent),
    row.updated_at,
    row.checkpoint_id ?? '',
    inShort(waits.get(row.id)),
    aboutText(inputs.get(row.id)),
  ])
  return plainTable(['RUN', 'STATUS', 'END', 'AGENT', 'UPDATED', 'CHECKPOINT', 'WAITS_FOR', 'ABOUT'], cells)
}

const columnsFor = (rows: readonly RunRow[]): readonly Column[] => [
  { head: 'RUN' },
  { head: 'STATUS', least: 8 },
  agentColumn(rows),
  { head: 'WHEN' },
  { head: 'WAITS FOR', least: 9 },
  { head: 'CHECKPOINT', spare: true },
  { head: 'ABOUT', least: 12 },
]

function runScreen(runs: readonly ListedRun[], { inputs, waits }: Known, screen: Screen): string {
  const rows = runs.map(({ row, level }) => ({
    cells: [
      { text: `${'  '.repeat(level)}${row.id}`, style: 'bold' },
      standingCell(row),
      visibleLine(row.agent),
      { text: ago(row.updated_at, screen.now), style: 'dim' },
      inShort(waits.get(row.id)).replaceAll(',', ', '),
      row.checkpoint_id ?? '',
      aboutText(inputs.get(row.id)),
    ] satisfies Cell[],
  }))
  const table = screenTable(columnsFor(runs.map(({ row }) => row)), rows, screen)
  const isReady = runs.some(({ row }) => standingOf(row) === 'ready')
  return isReady ? `${table}\n${wrapped(READY_NOTE, screen.width).join('\n')}\n` : table
}

/** An agent that all have in common says little, and leaves room for what says more. */
export function agentColumn(rows: readonly RunRow[]): Column {
  const isCommon = new Set(rows.map(({ agent }) => agent)).size === 1
  return { head: 'AGENT', least: 7, ...(isCommon && { spare: true }) }
}

/** How a run stands, or how it ended, in a word or two. */
export function standingCell(row: RunRow): Cell {
  const status = standingOf(row)
  const text = status === 'done' && row.ended !== null ? (ENDED[row.ended] ?? row.ended) : status
  return { text: visibleLine(text), style: STYLES[text] ?? 'dim' }
}

const ENDED: Readonly<Record<string, string>> = {
  natural_end: 'completed',
  behavior_requested: 'completed',
  error: 'failed',
}

const STYLES: Readonly<Record<string, Style>> = {
  running: 'cyan',
  ready: 'cyan',
  waiting: 'yellow',
  completed: 'green',
  failed: 'red',
  blocked: 'red',
}

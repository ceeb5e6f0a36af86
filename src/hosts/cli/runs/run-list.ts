import type { StuckRun } from '../../../core/advancing/stuck-run.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { waitsForModelUntil } from '../../../core/run/outcome/outage.ts'
import { failureText } from '../../../core/run/outcome/run-failure.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { NO_OUTCOME, type RunOutcome } from '../../../core/timeline/run-outcome.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { CommandContext } from '../../command/command.ts'
import type { App } from '../../compose/compose.ts'
import { ago, nextClockTime } from '../../display/ago.ts'
import { type List, listText } from '../../display/list.ts'
import type { Style } from '../../display/screen.ts'
import type { Column } from '../../display/table.ts'
import { wrapped } from '../../display/wrap.ts'
import { systemClock } from '../../process/system-clock.ts'
import { aboutText, type Known, READY_NOTE, standingOf } from './run-document.ts'

export interface ListedRun {
  readonly row: RunRow
  /** How many runs are above it. */
  readonly level: number
}

type Listing = Pick<App, 'holdpoint' | 'runInputs' | 'runOutcomes' | 'stuckRuns'>

export async function knownOf(
  { holdpoint, runInputs, runOutcomes, stuckRuns }: Listing,
  rows: readonly RunRow[],
): Promise<Known> {
  const waiting = rows.filter(({ status, exported }) => status === 'waiting' && !exported)
  const waits = waiting.map(
    async ({ id }) => [id, waitsFor(await holdpoint.holds({ run_id: id, status: 'open' }))] as const,
  )
  return {
    inputs: await runInputs(rows),
    outcomes: await runOutcomes(rows),
    stuck: await stuckRuns(rows),
    waits: new Map(await Promise.all(waits)),
  }
}

export async function runList(context: CommandContext, app: Listing, runs: readonly ListedRun[]): Promise<string> {
  const rows = runs.map(({ row }) => row)
  const known = await knownOf(app, rows)
  const list = listText(context, runs, runsText(runs, known))
  if (!context.io.isTerminal) return list
  const isReady = rows.some(row => standingOf(row, known.stuck.get(row.id)) === 'ready')
  const notes = [...stuckNotes(known), ...(isReady ? [READY_NOTE] : [])]
  return [list, ...notes.map(note => wrapped(note, context.io.width()).join('\n'))].join('\n').replace(/\n*$/, '\n')
}

/** `run_command`, `question`, `input`: the tools whose calls wait, else the kind of what waits. */
function waitsFor(holds: readonly Hold[]): string[] {
  return holds.map(({ kind, tool }) => (kind === 'question' || tool === null ? kind : tool))
}

/** Each name once, with its count. */
function inShort(names: readonly string[] = []): string {
  const counts = Map.groupBy(names, name => name)
  return [...counts].map(([name, { length }]) => `${name}${length === 1 ? '' : `*${length}`}`).join(',')
}

/** Each reason once, with how to go on. */
function stuckNotes({ stuck }: Pick<Known, 'stuck'>): string[] {
  const reasons = Map.groupBy(stuck, ([, { message }]) => message)
  return [...reasons.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const [id, { message, hint }] = first
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    return [visibleLine(`stuck: ${id}${more}: ${message} ${hint} It resumes by \`holdpoint -c ${id}\`.`)]
  })
}

function runsText(runs: readonly ListedRun[], { inputs, waits, outcomes, stuck }: Known): List<ListedRun> {
  const nested = ({ row, level }: ListedRun) => `${'  '.repeat(level)}${row.id}`
  const about = ({ row }: ListedRun) => ({ visible: aboutText(inputs.get(row.id)) })
  const cameTo = (row: RunRow) => outcomes.get(row.id) ?? NO_OUTCOME
  const now = systemClock.now()
  const waitsIn = ({ row }: ListedRun) => {
    const until = waitsForModelUntil(row, now)
    return until === null ? inShort(waits.get(row.id)) : `model@${until}`
  }
  return {
    empty: 'No runs.\n',
    plain: {
      RUN: nested,
      STATUS: ({ row }) => standingOf(row, stuck.get(row.id)),
      END: ({ row }) => row.ended,
      OUTCOME: ({ row }) => outcomeWord(cameTo(row)),
      AGENT: ({ row }) => row.agent,
      UPDATED: ({ row }) => row.updated_at,
      CHECKPOINT: ({ row }) => row.checkpoint_id,
      WAITS_FOR: waitsIn,
      ABOUT: about,
    },
    screen: [
      { head: 'RUN', value: nested, style: 'bold' },
      {
        head: 'STATUS',
        least: 8,
        value: ({ row }) => outcomeWord(cameTo(row)) || endOf(row, stuck.get(row.id)),
        style: ({ row }) =>
          cameTo(row).failed ? 'red' : cameTo(row).rejected > 0 ? 'dim' : styleOf(row, stuck.get(row.id)),
      },
      { ...agentColumn(runs.map(({ row }) => row)), value: ({ row }) => row.agent },
      { head: 'WHEN', value: ({ row }, now) => ago(row.updated_at, now), style: 'dim' },
      { head: 'WAITS FOR', least: 9, value: run => waitWords(run.row, now) ?? waitsIn(run).replaceAll(',', ', ') },
      { head: 'CHECKPOINT', spare: true, value: ({ row }) => row.checkpoint_id },
      { head: 'ABOUT', least: 12, value: about },
    ],
  }
}

/** `null` if it does not wait for the provider of its model. */
function waitWords(row: RunRow, now: number): string | null {
  const until = waitsForModelUntil(row, now)
  return until === null ? null : `the provider until ${nextClockTime(until, now)}`
}

/** `exit 3`, `2 rejected`; empty if the end of the run says all. */
function outcomeWord({ failed, rejected }: RunOutcome): string {
  if (failed) return failureText(failed)
  return rejected === 0 ? '' : `${rejected} rejected`
}

/** No column of agents if all runs have the same one: the room is for other columns. */
export function agentColumn(rows: readonly RunRow[]): Column {
  const isCommon = new Set(rows.map(({ agent }) => agent)).size === 1
  return { head: 'AGENT', least: 7, ...(isCommon && { spare: true }) }
}

/** The status of a run, or how it ended, in a word or two. */
export function endOf(row: RunRow, stuck: StuckRun | null = null): string {
  const status = standingOf(row, stuck)
  return status === 'done' && row.ended !== null ? (ENDED[row.ended] ?? row.ended) : status
}

export function styleOf(row: RunRow, stuck: StuckRun | null = null): Style {
  return STYLES[endOf(row, stuck)] ?? 'dim'
}

const ENDED: Readonly<Record<string, string>> = {
  natural_end: 'completed',
  behavior_requested: 'completed',
  error: 'failed',
}

const STYLES: Readonly<Record<string, Style>> = {
  running: 'cyan',
  ready: 'cyan',
  stuck: 'red',
  delayed: 'yellow',
  waiting: 'yellow',
  completed: 'green',
  failed: 'red',
  blocked: 'red',
}

import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { Runs } from '../../../runtime/face/runs.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn } from '../../command/flag-values.ts'
import { ago } from '../../display/ago.ts'
import { screenFor } from '../../display/screen.ts'
import { type Cell, type Column, plainTable, screenTable } from '../../display/table.ts'
import { openToLook, refuseWords } from '../open-for-reading.ts'
import { aboutText } from './about-text.ts'
import { listedSession } from './run-document.ts'
import { agentColumn, standingCell } from './run-list.ts'
import { standingOf } from './standing.ts'

/** The sessions of the store, newest first, each as its newest run stands. */
export async function listThreads(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'threads list')
  const limit = limitIn(given)
  await using app = await openToLook(context)
  const rows = await newestRuns(app.holdpoint, limit)
  const inputs = await app.threadInputs(rows.map(({ thread_id }) => thread_id))
  const listed = () => rows.map(row => listedSession(row, aboutText(inputs.get(row.thread_id)) || null))
  io.out(json ? jsonLine(listed()) : asText(context, rows, inputs))
  return 0
}

/** Read from the store at once. */
const PAGE = 200

async function newestRuns(holdpoint: Pick<Runs, 'runs'>, limit: number): Promise<RunRow[]> {
  const newest = new Map<string, RunRow>()
  for await (const row of allRuns(holdpoint)) {
    if (!newest.has(row.thread_id)) newest.set(row.thread_id, row)
    if (newest.size === limit) break
  }
  return [...newest.values()]
}

async function* allRuns(holdpoint: Pick<Runs, 'runs'>): AsyncGenerator<RunRow> {
  for (let page = await holdpoint.runs({ limit: PAGE }); page.length > 0; ) {
    yield* page
    page = await holdpoint.runs({ limit: PAGE, after: page.at(-1)?.id ?? '' })
  }
}

const columnsFor = (rows: readonly RunRow[]): readonly Column[] => [
  { head: 'SESSION' },
  { head: 'STATUS', least: 8 },
  agentColumn(rows),
  { head: 'WHEN' },
  { head: 'NEWEST RUN', spare: true },
  { head: 'ABOUT', least: 12 },
]

function asText(context: CommandContext, rows: readonly RunRow[], inputs: ReadonlyMap<string, string>): string {
  if (rows.length === 0) return 'No sessions.\n'
  const screen = screenFor(context)
  if (!screen) return threadTable(rows, inputs)
  const cells = rows.map((row): Cell[] => [
    { text: row.thread_id, style: 'bold' },
    standingCell(row),
    visibleLine(row.agent),
    { text: ago(row.updated_at, screen.now), style: 'dim' },
    row.id,
    aboutText(inputs.get(row.thread_id)),
  ])
  return screenTable(
    columnsFor(rows),
    cells.map(each => ({ cells: each })),
    screen,
  )
}

function threadTable(rows: readonly RunRow[], inputs: ReadonlyMap<string, string>): string {
  const cells = rows.map(row => [
    row.thread_id,
    standingOf(row),
    row.ended ?? '',
    visibleLine(row.agent),
    row.updated_at,
    row.id,
    aboutText(inputs.get(row.thread_id)),
  ])
  return plainTable(['SESSION', 'STATUS', 'END', 'AGENT', 'UPDATED', 'NEWEST_RUN', 'ABOUT'], cells)
}

import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { Runs } from '../../../runtime/face/runs.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn } from '../../command/flag-values.ts'
import { table } from '../../display/table.ts'
import { openForReading, refuseWords } from '../open-for-reading.ts'
import { listedSession } from './run-document.ts'

/** The sessions of the store, newest first, each as its newest run stands. */
export async function listThreads(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'threads list')
  const limit = limitIn(given)
  await using app = await openForReading(context)
  const rows = await newestRuns(app.holdpoint, limit)
  io.out(json ? jsonLine(rows.map(listedSession)) : asText(rows))
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

function asText(rows: readonly RunRow[]): string {
  if (rows.length === 0) return 'No sessions.\n'
  const cells = rows.map(({ thread_id, exported, status, ended, agent, updated_at, id }) => [
    thread_id,
    exported ? 'exported' : status,
    ended ?? '',
    visibleLine(agent),
    updated_at,
    id,
  ])
  return table(['SESSION', 'STATUS', 'END', 'AGENT', 'UPDATED', 'NEWEST RUN'], cells)
}

import type { RunStatus } from '../../core/thread.ts'
import type { RunRow } from '../../ports/store.ts'
import type { CommandContext } from '../command.ts'
import { limitIn, oneOf } from './flag-values.ts'
import { emptyWhereNothingRan, openForReading, refuseWords } from './open-for-reading.ts'
import { table } from './table.ts'

const STATUSES: readonly RunStatus[] = ['running', 'waiting', 'done']

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'runs')
  const status = oneOf(given, 'status', STATUSES)
  const query = { limit: limitIn(given), ...(status && { status }) }
  await using house = await openForReading(context).catch(thrown => emptyWhereNothingRan(thrown, given))
  const rows = house ? await house.holdpoint.runs(query) : []
  io.out(json ? `${JSON.stringify(rows.map(asDocument))}\n` : asText(rows))
  return 0
}

function asDocument(row: RunRow): Record<string, unknown> {
  const { id: run_id, thread_id: session_id, ended, lease, hold_scope, ...rest } = row
  const termination = ended === null ? null : { type: ended }
  return { run_id, session_id, ...rest, termination, advancing_by: lease?.owner ?? null }
}

function asText(rows: readonly RunRow[]): string {
  if (rows.length === 0) return 'No runs.\n'
  const cells = rows.map(row => [
    row.id,
    row.status,
    row.ended ?? '',
    row.agent,
    row.updated_at,
    row.checkpoint_id ?? '',
  ])
  return table(['RUN', 'STATUS', 'END', 'AGENT', 'UPDATED', 'CHECKPOINT'], cells)
}

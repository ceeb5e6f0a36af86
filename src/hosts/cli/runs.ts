import { RefusedError } from '../../core/errors.ts'
import type { RunStatus } from '../../core/thread.ts'
import type { RunRow } from '../../ports/store.ts'
import type { CommandContext } from '../command.ts'
import { emptyWhereNothingRan, openForReading, refuseWords } from './open-for-reading.ts'
import { table } from './table.ts'

const STATUSES: readonly RunStatus[] = ['running', 'waiting', 'done']

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'runs')
  const query = { limit: limitIn(given.value('limit')), ...statusIn(given.value('status')) }
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

function statusIn(text: string | null): { status?: RunStatus } {
  if (text === null) return {}
  const status = STATUSES.find(known => known === text)
  if (status) return { status }
  throw new RefusedError('invalid_arguments', `--status ${JSON.stringify(text)} is not known.`, {
    hint: `Use ${STATUSES.join(', ')}.`,
  })
}

function limitIn(text: string | null): number {
  if (text === null) return 50
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new RefusedError('invalid_arguments', `--limit ${JSON.stringify(text)} is no whole number from 1.`)
}

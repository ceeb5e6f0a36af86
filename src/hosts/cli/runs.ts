import { RefusedError } from '../../core/errors.ts'
import type { RunStatus } from '../../core/thread.ts'
import type { RunRow } from '../../ports/store.ts'
import type { CommandContext } from '../command.ts'
import type { Given } from '../flags.ts'
import { openForReading } from './open-for-reading.ts'

const STATUSES: readonly RunStatus[] = ['running', 'waiting', 'done']

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  if (given.words.length > 0) throw unexpected(given.words)
  const query = { limit: limitIn(given.value('limit')), ...statusIn(given.value('status')) }
  await using house = await openForReading(context).catch(thrown => emptyWhereNothingRan(thrown, given))
  const rows = house ? await house.holdpoint.runs(query) : []
  io.out(json ? `${JSON.stringify(rows.map(asDocument))}\n` : asText(rows))
  return 0
}

/** Where nothing was run yet, the list is empty; a store that was named and is not there is a mistake. */
function emptyWhereNothingRan(thrown: unknown, given: Given): null {
  if (thrown instanceof RefusedError && thrown.code === 'no_store' && !given.has('store')) return null
  throw thrown
}

function asDocument(row: RunRow): Record<string, unknown> {
  const { id: run_id, thread_id: session_id, ended, lease, hold_scope, ...rest } = row
  const termination = ended === null ? null : { type: ended }
  return { run_id, session_id, ...rest, termination, advancing_by: lease?.owner ?? null }
}

function asText(rows: readonly RunRow[]): string {
  if (rows.length === 0) return 'No runs.\n'
  const table = rows.map(row => [
    row.id,
    row.status,
    row.ended ?? '',
    row.agent,
    row.updated_at,
    row.checkpoint_id ?? '',
  ])
  const lines = [['RUN', 'STATUS', 'END', 'AGENT', 'UPDATED', 'CHECKPOINT'], ...table]
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0))) ?? []
  return lines
    .map(
      line =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
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

function unexpected(words: readonly string[]): RefusedError {
  return new RefusedError(
    'invalid_arguments',
    `runs takes no words, but was given ${JSON.stringify(words.join(' '))}.`,
    {
      hint: 'To send these words to an agent instead, put them after `--`.',
    },
  )
}

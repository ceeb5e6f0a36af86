import type { Amount } from '../../../core/count.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { CheckpointRow } from '../../../runtime/views/list-checkpoints.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { ago } from '../../display/ago.ts'
import { screenFor } from '../../display/screen.ts'
import { type Cell, type Column, plainTable, screenTable } from '../../display/table.ts'
import { onlyWord, openToLook } from '../open-for-reading.ts'

/** The places of a session that a fork can begin from, oldest first. */
export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  const thread = onlyWord(given.words, 'checkpoints SESSION')
  await using app = await openToLook(context)
  const rows = await app.holdpoint.checkpoints(await fullId(app.holdpoint, thread))
  io.out(json ? jsonLine(rows.map(listedCheckpoint)) : asText(context, rows))
  return 0
}

/** A place of a session that a fork can begin from. */
export interface ListedCheckpoint extends CheckpointRow {
  /** The same as `steps`. */
  readonly steps_taken: Amount
}

function listedCheckpoint(row: CheckpointRow): ListedCheckpoint {
  return { ...row, steps_taken: row.steps }
}

const COLUMNS: readonly Column[] = [
  { head: 'CHECKPOINT' },
  { head: 'WHEN' },
  { head: 'REASON', least: 5 },
  { head: 'STEPS' },
  { head: 'RUN' },
  { head: 'SEQ', spare: true },
]

function asText(context: CommandContext, rows: readonly CheckpointRow[]): string {
  const screen = screenFor(context)
  if (!screen) {
    const cells = rows.map(({ checkpoint_id, seq, at, run_id, reason, steps }) => [
      checkpoint_id,
      String(seq),
      at,
      run_id,
      reason,
      String(steps),
    ])
    return plainTable(['CHECKPOINT', 'SEQ', 'AT', 'RUN', 'REASON', 'STEPS'], cells)
  }
  const cells = rows.map(({ checkpoint_id, seq, at, run_id, reason, steps }): Cell[] => [
    { text: checkpoint_id, style: 'bold' },
    { text: ago(at, screen.now), style: 'dim' },
    reason,
    String(steps),
    run_id,
    String(seq),
  ])
  return screenTable(
    COLUMNS,
    cells.map(row => ({ cells: row })),
    screen,
  )
}

import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleText } from '../../../core/text/visible-text.ts'
import type { CheckpointRow } from '../../../runtime/views/list-checkpoints.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { table } from '../../display/table.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'

/** The places of a session that a fork can begin from, oldest first. */
export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  const thread = onlyWord(given.words, 'checkpoints SESSION')
  await using app = await openForReading(context)
  const rows = await app.holdpoint.checkpoints(await fullId(app.holdpoint, thread))
  io.out(json ? jsonLine(rows.map(listedCheckpoint)) : visibleText(asText(rows)))
  return 0
}

/** A place of a session that a fork can begin from. */
export interface ListedCheckpoint extends CheckpointRow {
  /** The same as `steps`. */
  readonly steps_taken: number
}

function listedCheckpoint(row: CheckpointRow): ListedCheckpoint {
  return { ...row, steps_taken: row.steps }
}

function asText(rows: readonly CheckpointRow[]): string {
  const cells = rows.map(({ checkpoint_id, seq, at, run_id, reason, steps }) => [
    checkpoint_id,
    String(seq),
    at,
    run_id,
    reason,
    String(steps),
  ])
  return table(['CHECKPOINT', 'SEQ', 'AT', 'RUN', 'REASON', 'STEPS'], cells)
}

import type { Hold } from '../../../core/hold/hold.ts'
import type { RunPath } from '../../../core/run/run-path.ts'
import type { Runs } from '../../../runtime/face/runs.ts'

/** A hold, and whose agent started the run that it holds up. */
export type PlacedHold = Hold & {
  readonly path: RunPath
  /** The newest pause of its run: what a resume takes to decide it; `null` if the run has not paused. */
  readonly checkpoint_id: string | null
}

export async function placedHolds(
  holdpoint: Pick<Runs, 'runPaths' | 'runs'>,
  holds: readonly Hold[],
): Promise<PlacedHold[]> {
  const ids = [...new Set(holds.map(({ run_id }) => run_id))]
  const [paths, rows] = await Promise.all([
    holdpoint.runPaths(ids),
    Promise.all(ids.map(run_id => holdpoint.runs({ run_id }))),
  ])
  const pauses = new Map(rows.flat().map(({ id, checkpoint_id }) => [id, checkpoint_id]))
  return holds.map(hold => ({
    ...hold,
    path: paths.get(hold.run_id) ?? [],
    checkpoint_id: pauses.get(hold.run_id) ?? null,
  }))
}

import type { Hold } from '../../../core/hold/hold.ts'
import type { RunPath } from '../../../core/run/run-path.ts'
import type { Runs } from '../../../runtime/face/runs.ts'

/** A hold, and whose agent started the run that it holds up. */
export type PlacedHold = Hold & { readonly path: RunPath }

export async function placedHolds(holdpoint: Pick<Runs, 'runPaths'>, holds: readonly Hold[]): Promise<PlacedHold[]> {
  const paths = await holdpoint.runPaths(holds.map(({ run_id }) => run_id))
  return holds.map(hold => ({ ...hold, path: paths.get(hold.run_id) ?? [] }))
}

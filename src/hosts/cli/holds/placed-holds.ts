import type { Hold } from '../../../core/hold/hold.ts'
import type { Runs } from '../../../runtime/face/runs.ts'
import type { RunPath } from '../../../runtime/views/run-path.ts'

/** A hold, and whose agent started the run that it holds up. */
export type PlacedHold = Hold & { readonly path: RunPath }

export async function placedHolds(holdpoint: Pick<Runs, 'runPaths'>, holds: readonly Hold[]): Promise<PlacedHold[]> {
  const paths = await holdpoint.runPaths(holds.map(({ run_id }) => run_id))
  return holds.map(hold => ({ ...hold, path: paths.get(hold.run_id) ?? [] }))
}

/** The agent that asks; where another one's run started its own, `parent > child`. */
export function agentPath({ agent, path }: Pick<PlacedHold, 'agent' | 'path'>): string {
  return path.length > 1 ? path.map(step => step.agent).join(' > ') : agent
}

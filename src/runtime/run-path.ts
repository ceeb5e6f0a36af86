import type { Store } from '../ports/store.ts'

/** A run among those that led to it. */
export interface RunPlace {
  readonly run_id: string
  readonly agent: string
}

/** No agent that somebody still oversees starts that deep. */
const DEEPEST = 64

/** From the root to the run, itself included; empty for an unknown run. */
export async function runPath(store: Pick<Store, 'run'>, runId: string): Promise<readonly RunPlace[]> {
  const path: RunPlace[] = []
  let next: string | null = runId
  while (next !== null && path.length < DEEPEST) {
    const row = await store.run(next)
    if (row) path.unshift({ run_id: row.id, agent: row.agent })
    next = row?.parent_run_id ?? null
  }
  return path
}

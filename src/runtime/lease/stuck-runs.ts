import { maybeStuck, SILENCE_MS, type StuckRun, stuckRun } from '../../core/advancing/stuck-run.ts'
import { waitsForTurn } from '../../core/task/start-queue.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { Store } from '../../ports/store/store.ts'

interface Deps {
  readonly store: Pick<Store, 'now' | 'workers' | 'tasks'>
  readonly liveness: Liveness
}

/** By run id: those of the rows that go on by no waiting. If none may be stuck, nothing is read. */
export async function stuckRuns({ store, liveness }: Deps, rows: readonly RunRow[]): Promise<Map<string, StuckRun>> {
  const isFree = ({ lease }: RunRow) => lease === null || liveness.isGone(lease.owner)
  const resting = rows.filter(row => row.status === 'running' && isFree(row))
  if (resting.length === 0) return new Map()
  const now = await store.now()
  const suspects = resting.filter(row => maybeStuck(row, now))
  if (suspects.length === 0) return new Map()
  const working = await livingWorkers({ store, liveness })
  const stuck = suspects.flatMap(row => {
    const found = stuckRun(row, working, now)
    return found ? [[row.id, found] as const] : []
  })
  const queued = await Promise.all(stuck.map(([id]) => isQueued(store, id)))
  return new Map(stuck.filter((_, n) => !queued[n]))
}

/** Why the run does not go on; `null` if it does, waits or is done. */
export async function stuckNow(
  deps: Deps & { readonly store: Pick<Store, 'run'> },
  runId: string,
): Promise<StuckRun | null> {
  const row = await deps.store.run(runId)
  return row && ((await stuckRuns(deps, [row])).get(runId) ?? null)
}

async function livingWorkers({ store, liveness }: Deps) {
  const workers = await store.workers.list()
  return workers.filter(
    ({ process, silent_ms }) => !liveness.isGone(process) && (silent_ms < SILENCE_MS || liveness.isAlive(process)),
  )
}

/** A run whose task waits for its turn is begun when another one ends. */
async function isQueued({ tasks }: Pick<Store, 'tasks'>, subject: string): Promise<boolean> {
  const [task] = await tasks.tasks({ subject, limit: 1 })
  return task !== undefined && task.status === 'pending' && waitsForTurn(task.invocation)
}

/** Enough to tell that something is wrong; each list tells of its own rows. */
const MOST = 100

/** How many of the oldest ready runs are stuck. */
export async function countStuck({
  store,
  liveness,
}: Deps & { readonly store: Pick<Store, 'readyRuns'> }): Promise<number> {
  return (await stuckRuns({ store, liveness }, await store.readyRuns({ limit: MOST }))).size
}

import type { RunPath } from '../../core/run/run-path.ts'
import type { RunQuery, RunRow, RunStore } from '../../ports/store/runs.ts'

/** A run with those that its agent started. */
export type RunNode = RunRow & { readonly children: readonly RunNode[] }

/** A path that is longer shows its lower end. */
const MOST_LEVELS = 100

type Find = (runId: string) => Promise<RunRow | null>

/** Empty for an unknown run. */
export async function runPath(store: Pick<RunStore, 'run'>, runId: string): Promise<RunPath> {
  return (await runPaths(store, [runId])).get(runId) ?? []
}

/** The paths of these runs, by id; an unknown run has an empty one. Each row is read once. */
export async function runPaths(
  store: Pick<RunStore, 'run'>,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RunPath>> {
  const find = onceEach(store)
  const paths = new Map<string, RunPath>()
  for (const id of new Set(runIds)) {
    const line = await lineOf(find, id)
    paths.set(
      id,
      line.map(({ id: run_id, agent }) => ({ run_id, agent })),
    )
  }
  return paths
}

/**
 * The runs of the query, each below the run whose agent started it. A parent has its place even if the query excludes
 * it.
 */
export async function runTree(store: Pick<RunStore, 'run' | 'runs'>, query: RunQuery): Promise<readonly RunNode[]> {
  const listed = await store.runs(query)
  const find = onceEach(store, listed)
  const rows = new Set<RunRow>()
  for (const { id } of listed) for (const row of await lineOf(find, id)) rows.add(row)
  return nested([...rows].toSorted(newestFirst))
}

function onceEach(store: Pick<RunStore, 'run'>, rows: readonly RunRow[] = []): Find {
  const known = new Map<string, RunRow | null>(rows.map(row => [row.id, row]))
  return async id => {
    const row = known.get(id)
    if (row !== undefined) return row
    const found = await store.run(id)
    known.set(id, found)
    return found
  }
}

/** Ends even if broken rows form a circle. */
async function lineOf(find: Find, runId: string): Promise<RunRow[]> {
  const line: RunRow[] = []
  for (let id: string | null = runId; id !== null && line.length < MOST_LEVELS; ) {
    const row: RunRow | null = await find(id)
    if (row === null || line.includes(row)) break
    line.unshift(row)
    id = row.parent_run_id
  }
  return line
}

function newestFirst(one: RunRow, other: RunRow): number {
  return Date.parse(other.created_at) - Date.parse(one.created_at)
}

/** Every row once. */
function nested(rows: readonly RunRow[]): RunNode[] {
  const ids = new Set(rows.map(({ id }) => id))
  const childrenOf = Map.groupBy(rows, ({ parent_run_id }) => parent_run_id)
  const placed = new Set<RunRow>()
  const place = (row: RunRow): RunNode[] => {
    if (placed.has(row)) return []
    placed.add(row)
    return [{ ...row, children: (childrenOf.get(row.id) ?? []).flatMap(place) }]
  }
  const roots = rows.filter(({ parent_run_id }) => parent_run_id === null || !ids.has(parent_run_id))
  // Runs in a circle have no root.
  return [...roots, ...rows].flatMap(place)
}

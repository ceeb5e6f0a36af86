import type { Documents } from '../api/documents.ts'

export type Run = Documents['Runs']['runs'][number]
export type Task = Documents['Tasks']['tasks'][number]

/** A run, a command, or a run that is a task, with what its agent started below it. */
export interface WorkNode {
  readonly id: string
  readonly run: Run | null
  readonly task: Task | null
  readonly children: readonly WorkNode[]
}

/**
 * `runs` are a tree already. The node of a task that runs an agent is its run; a command is a child of the run that
 * started it.
 */
export function workTree(runs: readonly Run[], tasks: readonly Task[]): readonly WorkNode[] {
  const byRun = new Map(tasks.flatMap(task => (task.run_id === null ? [] : [[task.run_id, task]])))
  const commands = Map.groupBy(
    tasks.filter(({ run_id }) => run_id === null),
    ({ parent_run_id }) => parent_run_id,
  )
  const known = new Set<string>()
  const nodeOf = (run: Run): WorkNode => {
    known.add(run.run_id)
    const children = [...(run.children ?? []).map(nodeOf), ...(commands.get(run.run_id) ?? []).map(leafOf)]
    return { id: run.run_id, run, task: byRun.get(run.run_id) ?? null, children }
  }
  const nodes = runs.map(nodeOf)
  // The parent run may be older than the runs that are listed.
  const others = [...commands].filter(([parent]) => parent === null || !known.has(parent)).flatMap(([, each]) => each)
  return [...nodes, ...others.map(leafOf)].toSorted((a, b) => newestIn(b).localeCompare(newestIn(a)))
}

function leafOf(task: Task): WorkNode {
  return { id: task.task_id, run: null, task, children: [] }
}

function newestIn({ run, task }: WorkNode): string {
  return run?.created_at ?? task?.created_at ?? ''
}

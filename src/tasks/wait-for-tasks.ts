import { eachChange } from '../async/each-change.ts'
import { TASK_RESTS, type Task } from '../core/task/task.ts'
import type { Clock } from '../ports/clock.ts'

export interface Waiting {
  readonly clock: Clock
  readonly watch: (onChange: () => void) => Disposable
  /** All that is waited for, as it is now. */
  readonly look: () => Promise<readonly Task[]>
  readonly isOver: (tasks: readonly Task[]) => boolean
  readonly signal?: AbortSignal | undefined
  /** When the wait ends, in milliseconds since 1970. Default: never. */
  readonly deadline?: number
}

/** Looks after each change. Resolves to the tasks as it saw them last: when that is enough, or when the wait ends early. */
export async function waitForTasks({ watch, look, isOver, ...wait }: Waiting): Promise<readonly Task[]> {
  let tasks: readonly Task[] = []
  for await (const _ of eachChange({ ...wait, watches: [watch] })) {
    tasks = await look()
    if (isOver(tasks)) break
  }
  return tasks
}

export const RESTING: Record<'any' | 'all', (tasks: readonly Task[]) => boolean> = {
  any: tasks => tasks.length === 0 || tasks.some(({ status }) => TASK_RESTS[status]),
  all: tasks => tasks.every(({ status }) => TASK_RESTS[status]),
}

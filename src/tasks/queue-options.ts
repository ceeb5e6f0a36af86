import type { Task } from '../core/task/task.ts'
import type { TaskTurn } from '../ports/store/fleet/task-registry.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** How many tasks of a kind run at once. A supervisor gets it too, because its end frees a place. */
export interface QueueLimit extends Pick<TaskTurn, 'kind' | 'most'> {}

export interface QueueOptions extends QueueLimit {
  /** The variables of a task that the process which starts it did not ask for. */
  readonly environmentOf: (task: Task) => Environment
}

const VARIABLE = 'HOLDPOINT_TASK_QUEUE'

/** The variable that hands the limit to a task's supervisor. */
export function queueVariable(limit: QueueLimit | undefined): Environment {
  return limit === undefined ? {} : { [VARIABLE]: JSON.stringify([limit.kind, limit.most]) }
}

/** The limit that a supervisor was given; `null` without one. */
export function queueLimitIn({ [VARIABLE]: text }: Environment): QueueLimit | null {
  if (!text) return null
  const [kind, most] = JSON.parse(text) as [string, number]
  return { kind, most }
}

export function withoutQueueVariable({ [VARIABLE]: _, ...environment }: Environment): Environment {
  return environment
}

import { TASK_RESTS, type TaskStatus } from '../../../core/task/task.ts'

/** The same codes as of a run (docs/design/command-line.md#exit-codes). */
const EXIT_CODES: Record<TaskStatus, number> = {
  pending: 1,
  running: 1,
  paused: 10,
  completed: 0,
  failed: 1,
  cancelled: 1,
  timed_out: 1,
}

/**
 * For several tasks: 10 if a person is needed, else 1 if one did not complete, else 0. After a wait for `any`, tasks
 * under way do not count.
 */
export function exitCodeOfTasks(statuses: readonly TaskStatus[], until: 'any' | 'all'): number {
  const counting = until === 'all' ? statuses : statuses.filter(status => TASK_RESTS[status])
  return Math.max(0, ...counting.map(status => EXIT_CODES[status]))
}

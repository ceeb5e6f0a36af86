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
 * Of several: 10 where somebody is needed, else 1 where one did not complete, else 0. Where `any` was waited for, those
 * that are still under way say nothing.
 */
export function exitCodeOfTasks(statuses: readonly TaskStatus[], until: 'any' | 'all'): number {
  const counting = until === 'all' ? statuses : statuses.filter(status => TASK_RESTS[status])
  return Math.max(0, ...counting.map(status => EXIT_CODES[status]))
}

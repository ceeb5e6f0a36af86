import type { TaskStatus } from '../../../core/task.ts'
import type { TaskSummary } from '../../../runtime/agent-tasks/task-report.ts'

/** As the exit codes of a run (DESIGN §8.1). */
const EXIT_CODES: Record<TaskStatus, number> = {
  pending: 1,
  running: 1,
  paused: 10,
  completed: 0,
  failed: 1,
  cancelled: 1,
  timed_out: 1,
}

/** Of several: 10 where somebody is needed, else 1 where one is neither completed nor paused, else 0. */
export function exitCodeOfTasks(tasks: readonly TaskSummary[]): number {
  return Math.max(0, ...tasks.map(({ status }) => EXIT_CODES[status]))
}

import type { TaskStatus } from '../../../core/task/task.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { TaskSummary } from '../../../runtime/face/tasks.ts'
import type { Style } from '../../display/colours.ts'

export const STATUS_STYLES: Record<TaskStatus, Style> = {
  pending: 'cyan',
  running: 'cyan',
  paused: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
  timed_out: 'red',
}

/** Its status, with the reason if the status alone does not tell it: `failed with 3`, `failed by SIGKILL`. */
export function howItStands({ status, exit_code, signal, error }: TaskSummary): string {
  if (status !== 'failed' || error) return status
  return signal ? `failed by ${signal}` : `failed with ${exit_code}`
}

/** The state of a task in one line. */
export function standingText(task: TaskSummary): string {
  const why = task.error ? `: ${task.error.message}` : ''
  return `${visibleLine(`${task.task_id}  ${howItStands(task)}${why}  (${task.title})`)}\n`
}

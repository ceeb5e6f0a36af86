import { RefusedError } from '../../../core/errors.ts'
import { TASK_RESTS, type TaskStatus } from '../../../core/task/task.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { TaskSummary } from '../../../runtime/face/tasks.ts'
import { fullId } from '../../command/full-id.ts'
import type { Style } from '../../display/screen.ts'

export const STATUS_STYLES: Record<TaskStatus, Style> = {
  pending: 'cyan',
  running: 'cyan',
  paused: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
  timed_out: 'red',
}

/** The status, with the reason if the status alone is not clear: `failed with 3`, `failed by SIGKILL`. */
export function howItStands({ status, exit_code, signal, error }: TaskSummary): string {
  if (status !== 'failed' || error) return status
  return signal ? `failed by ${signal}` : `failed with ${exit_code}`
}

/** The state of a task in one line. */
export function standingText(task: TaskSummary): string {
  const why = task.error ? `: ${task.error.message}` : ''
  return `${visibleLine(`${task.task_id}  ${howItStands(task)}${why}  (${task.title})`)}\n`
}

/**
 * The id of a task, from its id, the beginning of that, or the name of the agent that runs in it; the word itself if it
 * names none. @throws RefusedError `ambiguous_id`
 */
export async function taskNamed(holdpoint: Holdpoint, word: string): Promise<string> {
  const id = await fullId(holdpoint, word)
  if (id.startsWith('task_')) return id
  try {
    return (await holdpoint.agents.find(id)).id
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'unknown_agent') return word
    throw thrown
  }
}

/** The exit codes of a run (docs/design/command-line.md#exit-codes). */
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
 * The exit code for several tasks: 10 if a person is needed, else 1 if one did not complete, else 0. After a wait for
 * `any`, tasks under way do not count.
 */
export function exitCodeOfTasks(statuses: readonly TaskStatus[], until: 'any' | 'all'): number {
  const counting = until === 'all' ? statuses : statuses.filter(status => TASK_RESTS[status])
  return Math.max(0, ...counting.map(status => EXIT_CODES[status]))
}

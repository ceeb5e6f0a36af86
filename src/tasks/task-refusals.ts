import { RefusedError } from '../core/errors.ts'
import type { Task } from '../core/task/task.ts'

/** The wish is on record, but the supervisor has not carried it out so far. */
export function notCancelledYet(task: Task): RefusedError {
  return new RefusedError(
    'not_cancelled_yet',
    `Task ${task.id} is to be cancelled, but ${task.invocation.supervisor ?? 'nobody'} watches over it and has not stopped it so far.`,
    {
      hint: 'It is cancelled as soon as its supervisor reads that. If it ran in a container or on a machine that is gone, nothing will.',
      details: { task_id: task.id, supervisor: task.invocation.supervisor },
    },
  )
}

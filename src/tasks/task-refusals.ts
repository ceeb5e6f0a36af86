import { RefusedError } from '../core/errors.ts'
import { TASK_RESTS, type Task } from '../core/task/task.ts'

/** The caller had seen another invocation, or another status. */
export function taskMovedOn(task: Task, seen: number): RefusedError {
  const { id, status, invocation } = task
  const now = `it is ${status} in invocation ${invocation.n} now`
  const meaning = TASK_RESTS[status] && status !== 'paused' && status !== 'failed' ? 'it is over' : 'it has moved on'
  return new RefusedError('task_moved_on', `Invocation ${seen} of task ${id} cannot be resumed: ${meaning}, ${now}.`, {
    hint: 'Look at the task again: whatever you decided was about an earlier pause, and was not carried out.',
    details: { task_id: id, status, invocation: invocation.n },
  })
}

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

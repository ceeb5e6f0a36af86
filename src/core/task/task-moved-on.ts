import { RefusedError } from '../errors.ts'
import { TASK_RESTS, type Task } from './task.ts'

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

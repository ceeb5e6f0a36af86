import { RefusedError } from '../errors.ts'

/** Refuses an id of no task in this store. */
export function unknownTask(id: string): RefusedError {
  return new RefusedError('unknown_task', `There is no task ${JSON.stringify(id)} in this store.`, {
    action: { do: 'find_task' },
    details: { task_id: id },
  })
}

/** It had so many invocations, from 1. */
export function unknownInvocation(taskId: string, had: number, n: number | null): RefusedError {
  return new RefusedError('unknown_invocation', `Task ${taskId} has invocations 1 to ${had}, and no ${n}.`, {
    hint: 'Leave it out for the newest one.',
    details: { task_id: taskId, newest: had },
  })
}

import type { RefusedError } from '../errors.ts'
import { taskRefusals } from '../refusals/task-refusals.ts'

/** Refuses an id of no task in this store. */
export function unknownTask(id: string): RefusedError {
  return taskRefusals.unknownTask(id)
}

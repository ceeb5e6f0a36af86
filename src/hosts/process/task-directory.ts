import { existsSync } from 'node:fs'
import { RefusedError } from '../../core/errors.ts'
import type { Store } from '../../ports/store/store.ts'
import type { StoreLocation } from '../../ports/store/store-location.ts'

/** The directory of tasks' output. @throws RefusedError `store_forgets` or `store_out_of_reach` */
export function taskDirectory({ capabilities, location }: Pick<Store, 'capabilities' | 'location'>): string {
  const { display, tasksDirectory } = location
  if (!capabilities.isShared)
    throw new RefusedError('store_forgets', `Tasks outlive their starter, and the store ${display} does not.`, {
      hint: 'Name a store that others can open, such as --store sqlite:.holdpoint/holdpoint.db.',
    })
  if (tasksDirectory === null)
    throw new RefusedError(
      'store_out_of_reach',
      `A task is a process of its own, and another process cannot open the store ${display} by its location.`,
      { hint: 'Start tasks on a store whose location is sqlite:PATH. Nothing was started.' },
    )
  return tasksDirectory
}

/** Whether output of tasks may be kept beside that store. */
export function keepsOutput({ tasksDirectory }: StoreLocation): boolean {
  return tasksDirectory !== null && existsSync(tasksDirectory)
}

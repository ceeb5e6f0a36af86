import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RefusedError } from '../../core/errors.ts'

/** Of the store that has no other name. */
const USUAL_FILE = 'holdpoint.db'

/**
 * The directory of tasks' output. It stands beside the store that knows the tasks, and belongs to no other store, so
 * output of unknown tasks can be removed. @throws RefusedError `store_forgets`
 */
export function taskDirectory(storeUrl: string): string {
  const path = pathOf(storeUrl)
  if (path === null)
    throw new RefusedError('store_forgets', `Tasks outlive whoever starts them, and ${storeUrl} does not.`, {
      hint: 'Name a store that others can open, such as --store sqlite:.holdpoint/holdpoint.db.',
    })
  const file = basename(path)
  return join(dirname(path), file === USUAL_FILE ? 'tasks' : `${file}-tasks`)
}

/** Whether anything that tasks print may be kept beside that store. */
export function keepsOutput(storeUrl: string): boolean {
  return pathOf(storeUrl) !== null && existsSync(taskDirectory(storeUrl))
}

function pathOf(storeUrl: string): string | null {
  return storeUrl.startsWith('sqlite:') ? storeUrl.slice('sqlite:'.length) : null
}

import { dirname, join } from 'node:path'
import { RefusedError } from '../core/errors.ts'

/** Where what tasks print is kept: beside the store that knows of them. @throws RefusedError `store_forgets` */
export function taskDirectory(storeUrl: string): string {
  if (storeUrl.startsWith('sqlite:')) return join(dirname(storeUrl.slice('sqlite:'.length)), 'tasks')
  throw new RefusedError('store_forgets', `Tasks outlive whoever starts them, and ${storeUrl} does not.`, {
    hint: 'Name a store that others can open, such as --store sqlite:.holdpoint/holdpoint.db.',
  })
}

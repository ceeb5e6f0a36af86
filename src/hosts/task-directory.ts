import { dirname, join } from 'node:path'
import { RefusedError } from '../core/errors.ts'

/** Where what tasks print is kept: beside the store that knows of them. @throws RefusedError `store_forgets` */
export function taskDirectory(storeUrl: string): string {
  if (storeUrl.startsWith('sqlite:')) return join(dirname(storeUrl.slice('sqlite:'.length)), 'tasks')
  throw new RefusedError('store_forgets', `The store ${storeUrl} ends with this process, so no task can outlive it.`, {
    hint: 'Name a file with --store sqlite:PATH.',
  })
}

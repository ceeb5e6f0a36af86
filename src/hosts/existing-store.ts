import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { RefusedError } from '../core/errors.ts'

/** Looking and resuming never make a store. @throws RefusedError `no_store` */
export function refuseMissingStore(url: string, directory: string): void {
  const path = url.startsWith('sqlite:') ? resolve(directory, url.slice('sqlite:'.length)) : null
  if (path === null || existsSync(path)) return
  throw new RefusedError('no_store', `There is no store ${path}: nothing was run here yet.`, {
    hint: 'Start a run with `holdpoint "…"`, change the directory, or name another store with --store.',
  })
}

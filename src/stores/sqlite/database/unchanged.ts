import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** SQLite makes a log beside a file that it opens. If there is none, no process has the store open: none is needed. */
export function unchanged(path: string): string | URL {
  if (existsSync(`${path}-wal`)) return path
  const url = pathToFileURL(path)
  url.search = '?immutable=1'
  return url
}

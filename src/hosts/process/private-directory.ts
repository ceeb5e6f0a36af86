import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirectories } from '../../core/make-directories.ts'

const OWNER_ONLY = 0o700
const OWNER_FILE = 0o600

/** Makes a directory that its owner alone may enter, by any umask; one that exists is narrowed. */
export function makePrivateDirectory(path: string): void {
  makeDirectories(path, each => mkdirSync(each, { mode: OWNER_ONLY }))
  const stats = statSync(path)
  // A file of that name is an error.
  if (!stats.isDirectory()) mkdirSync(path)
  const { uid, mode } = stats
  if (uid !== process.getuid?.() || (mode & 0o777) === OWNER_ONLY) return
  try {
    chmodSync(path, OWNER_ONLY)
  } catch {
    // A file system that knows no rights.
  }
}

/** Writes the `.gitignore` of a directory of our own. An empty one is repaired: a full disk or a crash left it so. */
export function ignoreWithin(directory: string, lines: string): void {
  const path = join(directory, '.gitignore')
  if (!statSync(path, { throwIfNoEntry: false })?.size) writeFileSync(path, lines, { mode: OWNER_FILE })
}

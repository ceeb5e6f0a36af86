import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { makeDirectories } from '../../core/make-directories.ts'

const OWNER_ONLY = 0o700

/** Makes a directory that its owner alone may enter, by any umask; one that exists is narrowed. */
export function makePrivateDirectory(path: string): void {
  makeDirectories(path, each => mkdirSync(each, { mode: OWNER_ONLY }))
  const found = statSync(path)
  // A file of that name is an error.
  if (!found.isDirectory()) mkdirSync(path)
  const { uid, mode } = found
  if (uid !== process.getuid?.() || (mode & 0o777) === OWNER_ONLY) return
  try {
    chmodSync(path, OWNER_ONLY)
  } catch {
    // A file system that knows no rights.
  }
}

import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { makeDirectories } from '../../../core/make-directories.ts'

const OWNER_ONLY = 0o600
const OWNER_DIRECTORY = 0o700
const RIGHTS = 0o777
/** A directory of this name belongs to Holdpoint; any other may hold files of other programs. */
const OWN_DIRECTORY = '.holdpoint'

/**
 * Makes the file of a store for its owner alone, by any umask, and takes rights of others away from one that exists.
 * SQLite gives the files beside it the same rights.
 */
export function makePrivateFile(path: string): void {
  const directory = dirname(path)
  makeDirectories(directory, each => mkdirSync(each, { mode: OWNER_DIRECTORY }))
  if (basename(directory) === OWN_DIRECTORY) narrow(directory, OWNER_DIRECTORY)
  makeFile(path)
  for (const suffix of ['', '-wal', '-shm']) narrow(path + suffix, OWNER_ONLY)
}

function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch (thrown) {
    // If it cannot be made, SQLite says why.
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown
  }
}

function narrow(path: string, mode: number): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.uid === process.getuid?.() && found && (found.mode & RIGHTS) !== mode) chmodSync(path, mode)
  } catch {
    // A file system that knows no rights, or one that is read-only.
  }
}

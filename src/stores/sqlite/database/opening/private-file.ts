import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { makeDirectories } from '../../../../core/make-directories.ts'
import { emptyDatabase } from './empty-database.ts'

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

/** P4: it is never empty but for a moment, and what makes it a store is on the disk before anyone hears of it. */
function makeFile(path: string): void {
  const file = openNew(path)
  if (file === null) return
  try {
    writeSync(file, emptyDatabase())
    fsyncSync(file)
  } catch (thrown) {
    rmSync(path, { force: true })
    throw thrown
  } finally {
    closeSync(file)
  }
}

/** Returns `null` if the file exists, or cannot be made: then SQLite reports why. */
function openNew(path: string): number | null {
  try {
    return openSync(path, 'wx', OWNER_ONLY)
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown
    return null
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

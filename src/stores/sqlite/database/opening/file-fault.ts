import { type Stats, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreError } from '../../../store-error.ts'
import { storeFailures } from '../../../store-refusals.ts'

/**
 * Why a file cannot be the store that it was; `null` if nothing speaks against it, or there is none yet. SQLite would
 * begin a new store in each of these cases, and delete the log with what was committed last.
 */
function fileFault(path: string): StoreError | null {
  const found = foundAt(path)
  if (found === undefined) return foundAt(`${path}-wal`) === undefined ? null : storeFailures.fileGone(path)
  if (!found.isFile()) return null
  if (found.size === 0) return fileEmpty(path)
  return found.nlink > 1 && !isBeingNamed(path, found) ? storeFailures.fileLinked(path, found.nlink) : null
}

/** Another process may make the file at this moment, and a fault of that moment is none. @throws StoreError */
export async function refuseFault(path: string): Promise<void> {
  const until = Date.now() + MADE_WITHIN_MS
  let fault = fileFault(path)
  while (fault !== null && Date.now() < until) {
    await sleep(REST_MS)
    fault = fileFault(path)
  }
  if (fault !== null) throw fault
}

const MADE_WITHIN_MS = 1_000
const REST_MS = 10

function fileEmpty(path: string): StoreError {
  const log = foundAt(`${path}-wal`)?.size ? ` Its log ${path}-wal has what was written last: keep a copy of it.` : ''
  return storeFailures.fileEmpty(path, log)
}

/** A copy that is complete has two names for a moment, and for good if its process is killed then. No one opens the other. */
function isBeingNamed(path: string, { ino, dev, nlink }: Stats): boolean {
  const other = foundAt(`${path}.copying`)
  return nlink === 2 && other?.ino === ino && other.dev === dev
}

/** If this user may not look there, SQLite reports why the file cannot be opened. */
function foundAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

import { closeSync, openSync, readSync } from 'node:fs'
import { StoreError } from '../../store-error.ts'
import { asStoreError } from './sqlite-errors.ts'

/**
 * SQLite takes a read that the disk failed for damage. So such work is tried again; if it fails again, the file is read
 * here, which tells the two apart. `work` changes nothing if it throws.
 */
export function unlessReadFailed<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (!isDamage(thrown, path)) throw thrown
  }
  try {
    return work()
  } catch (thrown) {
    if (isDamage(thrown, path)) readAll(path)
    throw thrown
  }
}

/** A commit that failed may be in the log: it is not tried again. */
function isDamage(thrown: unknown, path: string): boolean {
  const told = asStoreError(thrown, path)
  return told instanceof StoreError && told.code === 'store_corrupt' && told.written === 'no'
}

const CHUNK = 1 << 20
/** Enough to be sure of most stores, and over within a second. */
const MOST_TO_READ = 256 * CHUNK

/** @throws StoreError `store_io` */
function readAll(path: string): void {
  if (path === ':memory:') return
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.allocUnsafe(CHUNK)
      for (let at = 0; at < MOST_TO_READ && readSync(file, bytes, 0, CHUNK, at) > 0; at += CHUNK);
    } finally {
      closeSync(file)
    }
  } catch (thrown) {
    throw asStoreError(thrown, path)
  }
}

import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { patienceMs } from './patience.ts'

export type { DatabaseSync }

/** A file of SQLite that another process may have locked at this moment: a lock is waited for. */
export function openDatabase(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  return new DatabaseSync(path, { timeout: patienceMs(), ...options })
}

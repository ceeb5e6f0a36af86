import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isBusy, isUnwritable } from './sqlite-errors.ts'

type Sqlite = typeof import('node:sqlite')

/**
 * Opens a file to read it as it is. SQLite makes a log beside a file that it opens. If there is none, no process has the
 * store open: none is needed. @throws Error in the words of SQLite
 */
export function openUnchanged({ DatabaseSync }: Sqlite, path: string, timeout = 0): DatabaseSync {
  if (!existsSync(`${path}-wal`)) {
    const url = pathToFileURL(path)
    url.search = '?immutable=1'
    return new DatabaseSync(url, { readOnly: true })
  }
  const database = new DatabaseSync(path, { readOnly: true, timeout })
  const fault = faultOfReading(database)
  if (fault === null || isBusy(fault)) return database
  database.close()
  if (!isUnwritable(fault)) throw fault
  return openAlone({ DatabaseSync }, path, timeout)
}

/**
 * On a full disk there is no room for the index of the log, which connections share. One that is alone keeps its index in
 * memory. Others wait for it, so it is to be closed soon.
 */
function openAlone({ DatabaseSync }: Pick<Sqlite, 'DatabaseSync'>, path: string, timeout: number): DatabaseSync {
  const database = new DatabaseSync(path, { timeout })
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON')
  return database
}

/** `null` if it can be read. */
export function faultOfReading(database: DatabaseSync): unknown {
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    return null
  } catch (thrown) {
    return thrown
  }
}

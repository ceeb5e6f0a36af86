import type { DatabaseSync } from 'node:sqlite'
import { movedBy, readMark } from '../../copy/copy-mark.ts'
import { type Opening, openingsIn, selectOpenings } from '../../rows/opening-row.ts'
import type { StoreError } from '../../store-error.ts'
import { unlessReadFailed } from './failed-read.ts'
import { loadSqlite } from './load-sqlite.ts'
import { openUnchanged } from './open-unchanged.ts'
import { APPLICATION } from './opening/empty-database.ts'
import { refuseFault } from './opening/file-fault.ts'
import { MIGRATIONS } from './schema/schema.ts'
import { asStoreError, isFailedRead } from './sqlite-errors.ts'

/** The file of a store, as it was found. */
export interface FileInspection {
  readonly isOurs: boolean
  /** The file's version of the schema, and the newest that is known here. An older one is migrated when the store is opened. */
  readonly schema: number
  readonly newest: number
  /** In the words of SQLite; `null` without `deep`. */
  readonly damage: readonly string[] | null
  /** Notices that were given up; 0 in a store that has none yet. */
  readonly failed_notices: number
  /** By which it shows whether a clock was set; of a few open holds. */
  readonly openings: readonly Opening[]
  /** The refusal of each write, if it moved to another store. */
  readonly moved: StoreError | null
}

/** Looks at a file, and changes neither it nor its log. `deep` reads all of it. @throws StoreError */
export async function inspectFile(path: string, { deep }: { readonly deep: boolean }): Promise<FileInspection> {
  const sqlite = await loadSqlite()
  await refuseFault(path)
  try {
    return unlessReadFailed(path, () => {
      using database = openUnchanged(sqlite, path, 1000)
      return { ...about(database, path), damage: deep ? damageOf(database) : null }
    })
  } catch (thrown) {
    throw asStoreError(thrown, path)
  }
}

function about(database: DatabaseSync, path: string): Omit<FileInspection, 'damage'> {
  const value = (sql: string) => Number(database.prepare(sql).get()?.['value'])
  const has = (name: string) => value(`SELECT count(*) AS value FROM sqlite_schema WHERE name = '${name}'`) > 0
  const mark = has('store_copy') ? database.prepare('SELECT record FROM store_copy').get()?.['record'] : null
  return {
    isOurs: value('SELECT application_id AS value FROM pragma_application_id') === APPLICATION,
    schema: value('SELECT user_version AS value FROM pragma_user_version'),
    newest: MIGRATIONS.length,
    moved: movedBy(readMark(mark), `sqlite:${path}`),
    openings: has('audit') ? openingsIn(database.prepare(selectOpenings('holds')).all()) : [],
    failed_notices: has('notices_failed') ? value("SELECT count(*) AS value FROM notices WHERE status = 'failed'") : 0,
  }
}

const MOST_TOLD = 3

/** Compares tables with their indexes too. @throws Error as of SQLite, if the disk failed to read */
function damageOf(database: DatabaseSync): string[] {
  const rows = database.prepare(`PRAGMA integrity_check(${MOST_TOLD})`).all()
  const told = rows.map(row => String(row['integrity_check'])).filter(text => text !== 'ok')
  for (const text of told) {
    const errcode = Number(/error code=(\d+)/.exec(text)?.[1])
    if (isFailedRead(errcode)) throw Object.assign(new Error(text), { errcode })
  }
  return told
}

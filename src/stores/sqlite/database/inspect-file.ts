import { movedBy, readMark } from '../../copy/copy-mark.ts'
import { type Opening, openingsIn, selectOpenings } from '../../rows/opening-row.ts'
import type { StoreError } from '../../store-error.ts'
import { APPLICATION } from './database.ts'
import { loadSqlite } from './load-sqlite.ts'
import { MIGRATIONS } from './schema/schema.ts'
import { unchanged } from './unchanged.ts'

/** The file of a store, as it was found. */
export interface FileInspection {
  readonly isOurs: boolean
  /** Its version of the schema, and the newest that is known here. An older one is migrated when the store is opened. */
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

/**
 * Looks at a file, and changes neither it nor what stands beside it. `deep` reads all of it.
 * @throws Error in the words of SQLite, if it cannot be read
 */
export async function inspectFile(path: string, { deep }: { readonly deep: boolean }): Promise<FileInspection> {
  const { DatabaseSync } = await loadSqlite()
  using database = new DatabaseSync(unchanged(path), { readOnly: true, timeout: 1000 })
  const value = (sql: string) => Number(database.prepare(sql).get()?.['value'])
  const has = (name: string) => value(`SELECT count(*) AS value FROM sqlite_schema WHERE name = '${name}'`) > 0
  const mark = has('store_copy') ? database.prepare('SELECT record FROM store_copy').get()?.['record'] : null
  const rows = deep ? database.prepare('PRAGMA quick_check(3)').all() : null
  return {
    isOurs: value('SELECT application_id AS value FROM pragma_application_id') === APPLICATION,
    schema: value('SELECT user_version AS value FROM pragma_user_version'),
    newest: MIGRATIONS.length,
    damage: rows?.map(row => String(row['quick_check'])).filter(text => text !== 'ok') ?? null,
    moved: movedBy(readMark(mark), `sqlite:${path}`),
    openings: has('audit') ? openingsIn(database.prepare(selectOpenings('holds')).all()) : [],
    failed_notices: has('notices_failed') ? value("SELECT count(*) AS value FROM notices WHERE status = 'failed'") : 0,
  }
}

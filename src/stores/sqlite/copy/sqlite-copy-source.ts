import type { SealKey } from '../../../core/audit/record-seal.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CopySource, Purpose } from '../../copy/copy-ends.ts'
import { SqlCopySource, type WriteBlock } from '../../sql/copy/sql-copy-source.ts'
import { all, done, first, run, type Work } from '../../sql/driver/work.ts'
import { Database } from '../database/database.ts'
import { MOVED } from '../database/schema/copy-schema.ts'
import { SqliteDriver } from '../sqlite-driver.ts'

interface Site {
  readonly file: string
  readonly clock: Pick<Clock, 'now'>
  readonly purpose: Purpose
  readonly sealKey?: SealKey | null
}

/** @throws StoreError */
export async function openSource({ file, clock, purpose, sealKey = null }: Site): Promise<CopySource> {
  const database = await (purpose === 'look' ? Database.look(file) : Database.open(file, { sealKey }))
  return new SqlCopySource(new SqliteDriver(database, clock), BLOCK, database)
}

const BLOCK: WriteBlock = {
  *isThere(table) {
    return (yield* first('SELECT 1 FROM sqlite_schema WHERE name = ?', [table])) !== undefined
  },
  lock: () => done(undefined),
  sealRecords: () => done(undefined),
  *refuseWrites() {
    for (const { name, sql } of yield* refusals()) yield* run(`CREATE TRIGGER ${name} ${sql}`)
  },
  *takeWrites() {
    for (const { name } of yield* refusals()) yield* run(`DROP TRIGGER ${name}`)
  },
}

const WRITES = ['INSERT', 'UPDATE', 'DELETE'] as const

/** Triggers refuse each kind of write. They also stop a process that has had the file open since long before. */
function* refusals(): Work<{ readonly name: string; readonly sql: string }[]> {
  const tables = yield* all(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'store_copy' AND name NOT LIKE 'sqlite%'`,
  )
  return tables.flatMap(({ name: table }) =>
    WRITES.map(write => ({
      name: `refuse_${write.toLowerCase()}_of_${table}`,
      sql: `BEFORE ${write} ON ${table} BEGIN SELECT RAISE(ABORT, '${MOVED}'); END`,
    })),
  )
}

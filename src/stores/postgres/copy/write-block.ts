import type { WriteBlock } from '../../sql/copy/sql-copy-source.ts'
import { all, first, run, type Work } from '../../sql/driver/work.ts'
import { sealWithin } from '../audit/seal-audit.ts'

const TRIGGER = 'refuse_write'

/** Triggers refuse writes to each table but the one of the mark. Tables are locked first, so that no writer is between. */
export function blockIn(schema: string): WriteBlock {
  return {
    *isThere(table) {
      const find = 'SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = ?'
      return (yield* first(find, [schema, table])) !== undefined
    },
    *lock() {
      const names = (yield* tablesIn(schema)).map(name => `@${name}`).join(', ')
      yield* run(`LOCK TABLE ${names} IN SHARE ROW EXCLUSIVE MODE`)
    },
    sealRecords: sealWithin,
    *refuseWrites() {
      for (const name of yield* tablesIn(schema))
        yield* run(
          `CREATE TRIGGER ${TRIGGER} BEFORE INSERT OR UPDATE OR DELETE ON @${name}
           FOR EACH STATEMENT EXECUTE FUNCTION @refuse_write()`,
        )
    },
    *takeWrites() {
      for (const name of yield* tablesIn(schema)) yield* run(`DROP TRIGGER IF EXISTS ${TRIGGER} ON @${name}`)
    },
  }
}

function* tablesIn(schema: string): Work<string[]> {
  const rows = yield* all(
    `SELECT tablename AS name FROM pg_tables
     WHERE schemaname = ? AND tablename NOT IN ('store_copy', 'schema_version') ORDER BY tablename`,
    [schema],
  )
  return rows.map(({ name }) => String(name))
}

import { Pool } from './pool.ts'
import { MIGRATIONS } from './schema/schema.ts'
import { keepingAlive } from './session.ts'

/** A database as it was found. */
export interface DatabaseInspection {
  /** The version of PostgreSQL. */
  readonly server: string
  /** The version of the store's schema, 0 if there is none; and the newest that is known here. */
  readonly schema: number
  readonly newest: number
}

/** Looks, and changes nothing. @throws RefusedError `unknown_store`; StoreError */
export function inspectDatabase(url: string): Promise<DatabaseInspection> {
  return keepingAlive(() => inspect(url))
}

async function inspect(url: string): Promise<DatabaseInspection> {
  await using pool = await Pool.unopened(url)
  const session = await pool.session()
  try {
    const [found] = await session.query(
      `SELECT current_setting('server_version') AS server, to_regclass($1) IS NOT NULL AS is_there`,
      [`"${pool.schema}".schema_version`],
    )
    const rows = found?.['is_there'] ? await session.query(`SELECT version FROM "${pool.schema}".schema_version`) : []
    return { server: String(found?.['server']), schema: Number(rows[0]?.['version'] ?? 0), newest: MIGRATIONS.length }
  } finally {
    session[Symbol.dispose]()
  }
}

import type { PoolClient } from 'pg'
import { storeFailures } from '../../../store-refusals.ts'
import { MIGRATIONS } from './schema.ts'

/** The key of the advisory lock: `Hold`, as a number. */
const LOCK = 0x486f6c64

/** Brings the schema to the version that is known here. Of several openers one migrates, and the others wait. @throws StoreError `store_newer` */
export async function migrate(client: PoolClient, schema: string): Promise<void> {
  if ((await versionOf(client, schema)) === MIGRATIONS.length) return
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK, schema])
    // Read again under the lock: the second opener finds the work done, and locks no table that the first one works with.
    const version = await versionOf(client, schema)
    if (version > MIGRATIONS.length) throw storeFailures.newerSchema(schema, version, MIGRATIONS.length)
    if (version < MIGRATIONS.length) await migrateFrom(client, schema, version)
    await client.query('COMMIT')
  } catch (thrown) {
    await client.query('ROLLBACK').catch(() => {})
    throw thrown
  }
}

async function migrateFrom(client: PoolClient, schema: string, version: number): Promise<void> {
  if (version === 0) await makeSchema(client, schema)
  for (const migration of MIGRATIONS.slice(version))
    await client.query(migration.replaceAll(/@(?=[a-z_])/g, `"${schema}".`))
  await client.query(secureTables(schema))
  await client.query(`UPDATE "${schema}".schema_version SET version = $1`, [MIGRATIONS.length])
}

/** Makes the schema if it is missing: a user without the right to make one can use one that exists. */
async function makeSchema(client: PoolClient, schema: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
  if (rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`)
}

/** Read from the catalog's tables: `to_regclass` may answer from before the lock was waited for. */
export async function versionOf(client: PoolClient, schema: string): Promise<number> {
  const tables = `SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'`
  if ((await client.query(tables, [schema])).rowCount === 0) return 0
  const { rows } = await client.query(`SELECT version FROM "${schema}".schema_version`)
  if (rows.length === 0) throw storeFailures.hiddenRows(schema)
  return Number(rows[0].version)
}

/** An interface that offers each table of a database to others, as data APIs do, offers nothing of these. */
function secureTables(schema: string): string {
  return `
    REVOKE ALL ON ALL TABLES IN SCHEMA "${schema}" FROM PUBLIC;
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' LOOP
        EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', '${schema}', name);
      END LOOP;
    END $$`
}

/** Examines a database for the doctor. It looks, and changes nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { movedBy, readMark } from '../../copy/copy-mark.ts'
import { type Opening, openingsIn, selectOpenings } from '../../rows/opening-row.ts'
import type { StoreError } from '../../store-error.ts'
import { Pool } from './pool.ts'
import { MIGRATIONS } from './schema/schema.ts'
import { keepingAlive, type Session } from './session.ts'

/** A store in PostgreSQL as it was found, before it is opened. */
export interface DatabaseExamination {
  readonly schemaName: string
  /** The version of PostgreSQL, and the same as a number such as 180004. */
  readonly server: string
  readonly serverNumber: number
  readonly user: string
  /** True of a replica, and of a user whose transactions may only read. */
  readonly isReplica: boolean
  readonly onlyReads: boolean
  /** True if the schema of the store could be made by this user, or is there for it to fill. */
  readonly mayMake: boolean
  /** True if notices of other processes arrive. */
  readonly hearsNotices: boolean
  /** Milliseconds that the clock of the database is ahead of this host's. */
  readonly clockAheadMs: number
  /** The newest version of the schema that is known here. */
  readonly newest: number
  /** `null` if there is none yet. */
  readonly store: ExaminedStore | null
}

export interface ExaminedStore {
  /** `null` if the user may not read it. */
  readonly schema: number | null
  /** Tables that the user does not own, so that it cannot migrate. */
  readonly notOwned: readonly string[]
  /** Tables that the user may not read, and those that it may read but not write. */
  readonly unreadable: readonly string[]
  readonly unwritable: readonly string[]
  /** Tables whose rows are hidden from the user. */
  readonly hidden: readonly string[]
  /** Tables without row level security. */
  readonly unprotected: readonly string[]
  /** The refusal of each write, if it moved to another store. */
  readonly moved: StoreError | null
  /** Records of the audit log that have no place yet; `null` if the user may not read them. */
  readonly pending: { readonly count: number; readonly oldestMs: number } | null
  /** By which it shows whether the clock of the database was set; of a few open holds. */
  readonly openings: readonly Opening[]
}

/** @throws RefusedError `unknown_store`; StoreError */
export function examineDatabase(url: string): Promise<DatabaseExamination> {
  return keepingAlive(() => examine(url))
}

async function examine(url: string): Promise<DatabaseExamination> {
  await using pool = await Pool.unopened(url)
  using session = await pool.session()
  const before = Date.now()
  const [found] = await session.query(ABOUT, [pool.schema])
  const hostNow = (before + Date.now()) / 2
  return {
    schemaName: pool.schema,
    server: String(found?.['server']),
    serverNumber: Number(found?.['number']),
    user: String(found?.['name']),
    isReplica: found?.['is_replica'] === true,
    onlyReads: found?.['only_reads'] === true,
    mayMake: found?.['may_make'] === true,
    hearsNotices: await hearsNotices(session, pool),
    clockAheadMs: Number(found?.['now']) - hostNow,
    newest: MIGRATIONS.length,
    store: await examineStore(session, pool),
  }
}

const ABOUT = `
  SELECT current_setting('server_version') AS server, current_setting('server_version_num')::int AS number,
    current_user AS name, pg_is_in_recovery() AS is_replica, current_setting('transaction_read_only') = 'on' AS only_reads,
    floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
    coalesce((SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1),
      has_database_privilege(current_database(), 'CREATE')) AS may_make`

/** A notice to oneself takes milliseconds. */
const HEARD_MS = 1_000

/** By two connections, as a pooler in transaction mode gives a statement any of its own. */
async function hearsNotices(session: Session, pool: Pool): Promise<boolean> {
  const channel = `${pool.schema}_doctor`
  const { promise: heard, resolve } = Promise.withResolvers<true>()
  session.onNotice(() => resolve(true))
  try {
    await session.query(`LISTEN "${channel}"`)
    using other = await pool.session()
    await other.query('SELECT pg_notify($1, $2)', [channel, 'doctor'])
    return await Promise.race([heard, sleep(HEARD_MS, false, { ref: false })])
  } catch {
    // A replica refuses both.
    return false
  }
}

async function examineStore(session: Session, { schema, display }: Pool): Promise<ExaminedStore | null> {
  const tables = await session.query(TABLES, [schema])
  if (!tables.some(({ name }) => name === 'schema_version')) return null
  const named = (column: string, value: boolean) =>
    tables.filter(table => table[column] === value).map(({ name }) => String(name))
  const unreadable = named('may_read', false)
  const hidden = named('is_hidden', true)
  const isSeen = (table: string) => !unreadable.includes(table) && !hidden.includes(table)
  return {
    schema: isSeen('schema_version') ? await versionIn(session, schema) : null,
    notOwned: named('is_owned', false),
    unreadable,
    unwritable: named('may_write', false).filter(name => !unreadable.includes(name)),
    hidden,
    unprotected: named('is_protected', false),
    moved:
      tables.some(({ name }) => name === 'store_copy') && isSeen('store_copy')
        ? await movedIn(session, { schema, display })
        : null,
    pending: isSeen('audit_pending') ? await pendingIn(session, schema) : null,
    openings: isSeen('holds') ? openingsIn(await session.query(selectOpenings(`"${schema}".holds`))) : [],
  }
}

const TABLES = `
  SELECT c.relname AS name, pg_has_role(c.relowner, 'USAGE') AS is_owned, c.relrowsecurity AS is_protected,
    has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS may_read,
    has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE')
      AND has_table_privilege(c.oid, 'DELETE') AS may_write,
    row_security_active(c.oid) AS is_hidden
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY c.relname`

async function versionIn(session: Session, schema: string): Promise<number> {
  const [row] = await session.query(`SELECT version FROM "${schema}".schema_version`)
  return Number(row?.['version'] ?? 0)
}

async function movedIn(
  session: Session,
  { schema, display }: Pick<Pool, 'schema' | 'display'>,
): Promise<StoreError | null> {
  const [row] = await session.query(`SELECT record FROM "${schema}".store_copy`)
  return movedBy(readMark(row?.['record']), display)
}

async function pendingIn(session: Session, schema: string): Promise<ExaminedStore['pending']> {
  const [row] = await session.query(
    `SELECT count(*)::int AS count, coalesce(extract(epoch FROM clock_timestamp()) * 1000 - min(at), 0)::float8 AS oldest
     FROM "${schema}".audit_pending`,
  )
  return { count: Number(row?.['count']), oldestMs: Number(row?.['oldest']) }
}

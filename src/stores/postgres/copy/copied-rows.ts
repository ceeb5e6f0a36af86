import { RefusedError } from '../../../core/errors.ts'
import {
  bytesCell,
  type CopiedCell,
  type CopiedKey,
  type CopiedRow,
  type CopiedTable,
  keyOf,
} from '../../copy/copied-tables.ts'
import { type CopyMark, readMark } from '../../copy/copy-mark.ts'
import { parsed } from '../../rows/decode/cells.ts'
import type { Pool, Query } from '../database/pool.ts'

type Cells = Readonly<Record<string, CopiedCell>>

/** Columns of this kind of store alone. They follow from the others. */
const MORE_COLUMNS: Readonly<Record<string, (row: Cells) => Cells>> = {
  grants: ({ given }) => {
    const { scope, scope_id, hold_id } = (parsed(given) ?? {}) as Record<string, string>
    return { scope: scope ?? null, scope_id: scope_id ?? null, hold_id: hold_id ?? null }
  },
}

export async function readPage(
  query: Query,
  { name, key, columns }: CopiedTable,
  { after, limit }: { readonly after: CopiedKey | null; readonly limit: number },
): Promise<CopiedRow[]> {
  const places = key.map((_, n) => `$${n + 2}`).join(', ')
  const where = after ? `WHERE (${key.join(', ')}) > (${places})` : ''
  const { rows } = await query(
    `SELECT ${columns.join(', ')} FROM @${name} ${where} ORDER BY ${key.join(', ')} LIMIT $1`,
    [limit, ...(after ?? [])],
  )
  return rows.map(row => columns.map(column => asCell(row[column])))
}

function asCell(value: unknown): CopiedCell {
  if (value instanceof Uint8Array) return bytesCell(value)
  return typeof value === 'boolean' ? Number(value) : (value as CopiedCell)
}

export async function newestKey(query: Query, { name, key }: CopiedTable): Promise<CopiedKey | null> {
  const order = key.map(column => `${column} DESC`).join(', ')
  const { rows } = await query(`SELECT ${key.join(', ')} FROM @${name} ORDER BY ${order} LIMIT 1`)
  return rows[0] ? key.map(column => rows[0]?.[column] as string | number) : null
}

export async function countRows(query: Query, { name }: CopiedTable): Promise<number> {
  return Number((await query(`SELECT count(*) AS count FROM @${name}`)).rows[0]?.['count'])
}

/** A store of an older version has not all tables. */
export async function isThere({ query, schema }: Pick<Pool, 'query' | 'schema'>, table: string): Promise<boolean> {
  const { count } = await query('SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [schema, table])
  return count > 0
}

/** Inside a transaction. */
export async function insertRows(query: Query, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
  for (const row of rows) refuseNul(table, row)
  const records = rows.map(row => Object.fromEntries(table.columns.map((column, n) => [column, row[n] ?? null])))
  const all = records.map(record => ({ ...record, ...MORE_COLUMNS[table.name]?.(record) }))
  const columns = Object.keys(all[0] ?? {}).join(', ')
  await query(
    `INSERT INTO @${table.name} (${columns}) OVERRIDING SYSTEM VALUE
     SELECT ${columns} FROM json_populate_recordset(NULL::@${table.name}, $1::json)`,
    [JSON.stringify(all)],
  )
  if (table.name === 'events') await moveEnds(query, rows)
}

/** A thread knows its newest event. */
async function moveEnds(query: Query, rows: readonly CopiedRow[]): Promise<void> {
  const newest = new Map(rows.map(([thread, seq]) => [Number(thread), Number(seq)]))
  await query(
    `UPDATE @threads t SET newest = e.seq
     FROM unnest($1::bigint[], $2::integer[]) AS e (thread, seq) WHERE t.number = e.thread`,
    [[...newest.keys()], [...newest.values()]],
  )
}

function refuseNul(table: CopiedTable, row: CopiedRow): void {
  const at = row.findIndex(cell => typeof cell === 'string' && cell.includes('\0'))
  if (at === -1) return
  const place = keyOf(table, row).join(' ')
  throw new RefusedError(
    'store_text_refused',
    `The ${table.columns[at]} of ${table.name} ${JSON.stringify(place)} has a NUL character, which PostgreSQL cannot keep.`,
    { hint: 'Copy to a file instead (sqlite:PATH), or give the copy up with --give-up.' },
  )
}

export async function markIn(query: Query): Promise<CopyMark | null> {
  return readMark((await query('SELECT record FROM @store_copy')).rows[0]?.['record'])
}

/** Inside a transaction. */
export async function putMark(query: Query, mark: CopyMark): Promise<void> {
  await query(
    'INSERT INTO @store_copy (one, record) VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET record = excluded.record',
    [JSON.stringify(mark)],
  )
}

const TRIGGER = 'refuse_write'

/** Inside a transaction. Each table of the store but the one of the mark; locked first, so that no writer is between. */
export async function refuseWrites(query: Query, schema: string): Promise<void> {
  for (const name of await tablesIn(query, schema))
    await query(
      `CREATE TRIGGER ${TRIGGER} BEFORE INSERT OR UPDATE OR DELETE ON @${name}
       FOR EACH STATEMENT EXECUTE FUNCTION @refuse_write()`,
    )
}

/** Inside a transaction. */
export async function takeWrites(query: Query, schema: string): Promise<void> {
  for (const name of await tablesIn(query, schema)) await query(`DROP TRIGGER IF EXISTS ${TRIGGER} ON @${name}`)
}

/** Inside a transaction: from here on no other process writes before its end. */
export async function lockTables(query: Query, schema: string): Promise<void> {
  const names = (await tablesIn(query, schema)).map(name => `@${name}`).join(', ')
  await query(`LOCK TABLE ${names} IN SHARE ROW EXCLUSIVE MODE`)
}

async function tablesIn(query: Query, schema: string): Promise<string[]> {
  const { rows } = await query(
    `SELECT tablename AS name FROM pg_tables
     WHERE schemaname = $1 AND tablename NOT IN ('store_copy', 'schema_version') ORDER BY tablename`,
    [schema],
  )
  return rows.map(({ name }) => String(name))
}

/** Rows of a store as a copy reads them: the same cells from both databases. */
import {
  bytesCell,
  type CopiedCell,
  type CopiedKey,
  type CopiedRow,
  type CopiedTable,
} from '../../copy/copied-tables.ts'
import { type CopyMark, readMark } from '../../copy/copy-mark.ts'
import type { Dialect } from '../driver/dialect.ts'
import { all, first, run, type Work } from '../driver/work.ts'

interface Shape {
  readonly columns: string
  /** The condition for rows after a key, whose parts are the first values. */
  readonly after: string
  readonly oldestFirst: string
  readonly newestFirst: string
}

function shapeOf({ events }: Dialect, { name, columns, key }: CopiedTable): Shape {
  if (name === 'events') {
    const { thread, seq, after, oldestFirst, newestFirst } = events
    const named = columns.map(column => ({ thread: `${thread} AS thread`, seq: `${seq} AS seq` })[column] ?? column)
    return { columns: named.join(', '), after, oldestFirst, newestFirst }
  }
  return {
    columns: columns.join(', '),
    after: `(${key.join(', ')}) > (${key.map((_, n) => `?${n + 1}`).join(', ')})`,
    oldestFirst: key.join(', '),
    newestFirst: key.map(column => `${column} DESC`).join(', '),
  }
}

export function* readPage(
  dialect: Dialect,
  table: CopiedTable,
  { after, limit }: { readonly after: CopiedKey | null; readonly limit: number },
): Work<CopiedRow[]> {
  const shape = shapeOf(dialect, table)
  const where = after ? `WHERE ${shape.after}` : ''
  const values = [...(after ?? []), limit]
  const rows = yield* all(
    `SELECT ${shape.columns} FROM @${table.name} ${where} ORDER BY ${shape.oldestFirst} LIMIT ?${values.length}`,
    values,
  )
  return rows.map(row => table.columns.map(column => asCell(row[column])))
}

function asCell(value: unknown): CopiedCell {
  if (value instanceof Uint8Array) return bytesCell(value)
  return typeof value === 'boolean' ? Number(value) : (value as CopiedCell)
}

export function* newestKey(dialect: Dialect, table: CopiedTable): Work<CopiedKey | null> {
  const { columns, newestFirst } = shapeOf(dialect, table)
  const row = yield* first(`SELECT ${columns} FROM @${table.name} ORDER BY ${newestFirst} LIMIT 1`)
  return row ? table.key.map(column => row[column] as string | number) : null
}

export function* countRows({ name }: CopiedTable): Work<number> {
  return Number((yield* first(`SELECT count(*) AS count FROM @${name}`))?.['count'])
}

export function* findMark(): Work<CopyMark | null> {
  return readMark((yield* first('SELECT record FROM @store_copy'))?.['record'])
}

/** Inside a transaction. */
export function* putMark(mark: CopyMark): Work<void> {
  yield* run(
    'INSERT INTO @store_copy (one, record) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET record = excluded.record',
    [JSON.stringify(mark)],
  )
}

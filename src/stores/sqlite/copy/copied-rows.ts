import {
  bytesCell,
  type CopiedCell,
  type CopiedKey,
  type CopiedRow,
  type CopiedTable,
  cellBytes,
} from '../../copy/copied-tables.ts'
import { type CopyMark, readMark } from '../../copy/copy-mark.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import type { Database } from '../database/database.ts'

/** The place of an event is its thread and its seq in one. */
const EVENTS = {
  columns: `place / ${SEQ_SPAN} AS thread, place % ${SEQ_SPAN} AS seq, at, run_id, kind, data`,
  key: 'place',
  place: (thread: number, seq: number): number => thread * SEQ_SPAN + seq,
}

interface Shape {
  readonly columns: string
  readonly key: readonly string[]
  readonly values: (key: CopiedKey) => CopiedKey
}

function shapeOf({ name, columns, key }: CopiedTable): Shape {
  if (name !== 'events') return { columns: columns.join(', '), key, values: values => values }
  return { ...EVENTS, key: [EVENTS.key], values: ([thread, seq]) => [EVENTS.place(Number(thread), Number(seq))] }
}

export function readPage(
  database: Database,
  table: CopiedTable,
  { after, limit }: { readonly after: CopiedKey | null; readonly limit: number },
): CopiedRow[] {
  const { columns, key, values } = shapeOf(table)
  const places = key.map(() => '?').join(', ')
  const where = after ? `WHERE (${key.join(', ')}) > (${places})` : ''
  const rows = database
    .statement(`SELECT ${columns} FROM ${table.name} ${where} ORDER BY ${key.join(', ')} LIMIT ?`)
    .all(...(after ? values(after) : []), limit)
  return rows.map(row => table.columns.map(column => asCell(row[column])))
}

function asCell(value: unknown): CopiedCell {
  return value instanceof Uint8Array ? bytesCell(value) : (value as CopiedCell)
}

export function newestKey(database: Database, table: CopiedTable): CopiedKey | null {
  const { columns, key } = shapeOf(table)
  const order = key.map(column => `${column} DESC`).join(', ')
  const row = database.statement(`SELECT ${columns} FROM ${table.name} ORDER BY ${order} LIMIT 1`).get()
  return row ? table.key.map(column => row[column] as string | number) : null
}

export function countRows(database: Database, { name }: CopiedTable): number {
  return Number(database.statement(`SELECT count(*) AS count FROM ${name}`).get()?.['count'])
}

/** A store of an older version has not all tables. */
export function isThere(database: Database, table: string): boolean {
  return database.statement('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined
}

/** Inside a transaction. */
export function insertRows(database: Database, table: CopiedTable, rows: readonly CopiedRow[]): void {
  const isEvents = table.name === 'events'
  const columns = isEvents ? [EVENTS.key, ...table.columns.slice(2)] : table.columns
  const insert = database.copyingStatement(
    `INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  for (const row of rows) {
    const [thread, seq, ...rest] = row
    insert.run(
      ...(isEvents
        ? [EVENTS.place(Number(thread), Number(seq)), ...rest]
        : row.map((cell, n) => storedCell(table, cell, n))),
    )
  }
}

function storedCell({ columns, bytes }: CopiedTable, cell: CopiedCell, place: number): CopiedCell | Buffer {
  return bytes.includes(columns[place] ?? '') ? cellBytes(cell) : cell
}

export function markIn(database: Database): CopyMark | null {
  return readMark(database.statement('SELECT record FROM store_copy').get()?.['record'])
}

/** Inside a transaction. */
export function putMark(database: Database, mark: CopyMark): void {
  database.statement('INSERT OR REPLACE INTO store_copy (one, record) VALUES (1, ?)').run(JSON.stringify(mark))
}

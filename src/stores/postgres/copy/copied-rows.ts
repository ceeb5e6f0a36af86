import { type CopiedCell, type CopiedRow, type CopiedTable, keyOf } from '../../copy/copied-tables.ts'
import { parsed } from '../../rows/decode/cells.ts'
import { run, type Work } from '../../sql/driver/work.ts'
import { storeRefusals } from '../../store-refusals.ts'

type Cells = Readonly<Record<string, CopiedCell>>

/** Columns of this kind of store alone. They follow from the others. */
const MORE_COLUMNS: Readonly<Record<string, (row: Cells) => Cells>> = {
  grants: ({ given }) => {
    const { scope, scope_id, hold_id } = (parsed(given) ?? {}) as Record<string, string>
    return { scope: scope ?? null, scope_id: scope_id ?? null, hold_id: hold_id ?? null }
  },
}

/** Inside a transaction. */
export function* insertRows(table: CopiedTable, rows: readonly CopiedRow[]): Work<void> {
  for (const row of rows) refuseNul(table, row)
  const records = rows.map(row => Object.fromEntries(table.columns.map((column, n) => [column, row[n] ?? null])))
  const full = records.map(record => ({ ...record, ...MORE_COLUMNS[table.name]?.(record) }))
  const columns = Object.keys(full[0] ?? {}).join(', ')
  yield* run(
    `INSERT INTO @${table.name} (${columns}) OVERRIDING SYSTEM VALUE
     SELECT ${columns} FROM json_populate_recordset(NULL::@${table.name}, ?::json)`,
    [JSON.stringify(full)],
  )
  if (table.name === 'events') yield* moveEnds(rows)
}

/** A thread knows its newest event. */
function* moveEnds(rows: readonly CopiedRow[]): Work<void> {
  const newest = new Map(rows.map(([thread, seq]) => [Number(thread), Number(seq)]))
  yield* run(
    `UPDATE @threads t SET newest = e.seq
     FROM unnest(?::bigint[], ?::integer[]) AS e (thread, seq) WHERE t.number = e.thread`,
    [[...newest.keys()], [...newest.values()]],
  )
}

function refuseNul(table: CopiedTable, row: CopiedRow): void {
  const at = row.findIndex(cell => typeof cell === 'string' && cell.includes('\0'))
  if (at === -1) return
  throw storeRefusals.nulRefused(table.columns[at], table.name, keyOf(table, row).join(' '))
}

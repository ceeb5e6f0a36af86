import type { NamedRow } from '../../core/audit/standing/unreadable-rows.ts'
import type { Row } from './decode/decode-row.ts'
import { HOLD_COLUMNS, holdIn } from './hold-row.ts'
import { asNotice } from './notice-row.ts'
import { RUN_COLUMNS, runIn } from './run-row.ts'
import { asTask, INVOCATION_COLUMNS, TASK_COLUMNS } from './task-row.ts'

/** Rows that the check of the log compares. It also names each one that cannot be read. */
export interface CheckedRows {
  readonly what: string
  readonly columns: string
  /** With `@` before each table. */
  readonly from: string
  /** The column of its number: rows are read in this order. */
  readonly key: string
  readonly read: (row: Row) => NamedRow['row']
}

export const CHECKED_ROWS: readonly CheckedRows[] = [
  { what: 'hold', columns: HOLD_COLUMNS, from: '@holds', key: 'number', read: holdIn },
  { what: 'notice', columns: '*', from: '@notices', key: 'number', read: asNotice },
  {
    what: 'run',
    columns: RUN_COLUMNS,
    from: '@runs r JOIN @threads t ON t.number = r.thread LEFT JOIN @exports x ON x.thread = r.thread',
    key: 'r.number',
    read: runIn,
  },
  {
    what: 'task',
    columns: `${TASK_COLUMNS}, ${INVOCATION_COLUMNS}`,
    from: '@tasks t JOIN @task_invocations i ON i.task = t.number',
    key: 'i.number',
    read: asTask,
  },
]

/** The statement of one page. Its values are the key before the page, and the most rows. */
export function checkedPage({ columns, from, key }: CheckedRows): string {
  return `SELECT ${key} AS checked_number, ${columns} FROM ${from} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`
}

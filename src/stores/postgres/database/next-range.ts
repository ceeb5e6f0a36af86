import type { Query } from './pool.ts'

/** Rows that one page looks at. */
const MOST_ROWS = 1_000

/** Rows behind a number. */
export interface RowRange {
  /** The number of the last one; 0 if there is none. */
  readonly last: number
  /** True if none are behind it. */
  readonly isEnd: boolean
}

export async function nextRange(query: Query, table: '@threads' | '@tasks', after: number): Promise<RowRange> {
  const { rows } = await query(
    `SELECT max(number) AS last, count(*) AS count
     FROM (SELECT number FROM ${table} WHERE number > $1 ORDER BY number LIMIT ${MOST_ROWS}) looked`,
    [after],
  )
  return { last: Number(rows[0]?.['last'] ?? 0), isEnd: Number(rows[0]?.['count']) < MOST_ROWS }
}

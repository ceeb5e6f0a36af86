/**
 * Work in a database: a generator of statements, which each driver runs in its own way. Keeps: in SQLite a whole transaction
 * is one synchronous piece, as a generator cannot wait for anything but its statements; in PostgreSQL it waits for answers.
 *
 * Statements are in PostgreSQL's words, with `?` or `?3` for values and `@runs` for a table. `sqlite-text.ts` lists the few
 * words that SQLite says differently.
 */

/** A list is compared by `= ANY(?::text[])`. */
export type Cell = string | number | boolean | null | Uint8Array | readonly (string | number | Uint8Array | null)[]
export type Row = Readonly<Record<string, unknown>>

export interface Statement {
  readonly sql: string
  readonly values: readonly Cell[]
  /** `rows`: of a SELECT or by RETURNING. `nothing`: the transaction fails later if the statement does. */
  readonly wants: 'rows' | 'count' | 'nothing'
}

/** The rows of a statement, and how many it read or changed. */
export interface Result {
  readonly rows: readonly Row[]
  readonly count: number
}

/** Each step is statements that do not wait for each other, and is given their results. */
export type Work<T> = Generator<readonly Statement[], T, readonly Result[]>

const NONE: readonly Cell[] = []

export function* all(sql: string, values: readonly Cell[] = NONE): Work<readonly Row[]> {
  const [result] = yield [{ sql, values, wants: 'rows' }]
  return result?.rows ?? []
}

export function* first(sql: string, values: readonly Cell[] = NONE): Work<Row | undefined> {
  const [result] = yield [{ sql, values, wants: 'rows' }]
  return result?.rows[0]
}

/** Runs `all` for each list of values. PostgreSQL takes one round trip for all of them. */
export function* allEach(sql: string, lists: readonly (readonly Cell[])[]): Work<readonly Row[]> {
  if (lists.length === 0) return []
  const results = yield lists.map(values => ({ sql, values, wants: 'rows' }))
  return results.flatMap(({ rows }) => rows)
}

/** Resolves to the number of rows that it changed. */
export function* run(sql: string, values: readonly Cell[] = NONE): Work<number> {
  const [result] = yield [{ sql, values, wants: 'count' }]
  return result?.count ?? 0
}

/** Runs `run` for each list of values, in one round trip. */
export function* runEach(sql: string, lists: readonly (readonly Cell[])[]): Work<readonly number[]> {
  if (lists.length === 0) return []
  const results = yield lists.map(values => ({ sql, values, wants: 'count' }))
  return results.map(({ count }) => count)
}

/** A step without an answer: such steps that follow each other, and the commit, cost one round trip. */
export function send(sql: string, values: readonly Cell[]): readonly Statement[] {
  return [{ sql, values, wants: 'nothing' }]
}

/** Makes a `send` for each list of values. */
export function sendEach(sql: string, lists: readonly (readonly Cell[])[]): readonly Statement[] {
  return lists.map(values => ({ sql, values, wants: 'nothing' }))
}

/** Work that needs no statement. */
// biome-ignore lint/correctness/useYield: it has nothing to wait for
export function* done<T>(value: T): Work<T> {
  return value
}

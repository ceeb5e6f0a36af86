import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { refuseUnkept } from '../../refuse-unkept.ts'

type Values = SQLInputValue[]

const WRITES = /^\s*(?:INSERT|UPDATE)/

/** A statement that writes refuses what PostgreSQL would refuse. SQLite itself would change half of a pair silently. */
export function guardWrites(statement: StatementSync, sql: string): StatementSync {
  if (!WRITES.test(sql)) return readingAnyNumber(statement)
  const run = statement.run.bind(statement)
  const get = statement.get.bind(statement)
  const all = statement.all.bind(statement)
  return Object.assign(statement, {
    run: (...values: Values) => run(...refusing(sql, values)),
    get: (...values: Values) => get(...refusing(sql, values)),
    all: (...values: Values) => all(...refusing(sql, values)),
  })
}

interface Reads {
  get(...values: Values): ReturnType<StatementSync['get']>
  all(...values: Values): ReturnType<StatementSync['all']>
}

/**
 * A number beyond those of JavaScript hides no other row: it is read as a bigint, which no cell takes. Such a row is
 * rare, so the statement is run again for it.
 */
function readingAnyNumber(statement: StatementSync): StatementSync {
  const reads: Reads = Object.getPrototypeOf(statement)
  return Object.assign(statement, {
    get: (...values: Values) => orExactly(statement, () => reads.get.apply(statement, values), asNumbers),
    all: (...values: Values) =>
      orExactly(
        statement,
        () => reads.all.apply(statement, values),
        rows => rows.map(asNumbers),
      ),
  })
}

function orExactly<T>(statement: StatementSync, read: () => T, convert: (found: T) => T): T {
  try {
    return read()
  } catch (thrown) {
    if (!(thrown instanceof RangeError && 'code' in thrown && thrown.code === 'ERR_OUT_OF_RANGE')) throw thrown
    statement.setReadBigInts(true)
    try {
      return convert(read())
    } finally {
      statement.setReadBigInts(false)
    }
  }
}

function asNumbers<T extends Record<string, unknown> | undefined>(row: T): T {
  const entries = Object.entries(row ?? {}).map(([name, value]) => [name, isSafe(value) ? Number(value) : value])
  return row && (Object.fromEntries(entries) as T)
}

function isSafe(value: unknown): value is bigint {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value))
}

function refusing(sql: string, values: Values): Values {
  refuseUnkept(sql, values)
  return values
}

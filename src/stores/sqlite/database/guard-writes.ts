import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { refuseUnkept } from '../../refuse-unkept.ts'

type Values = SQLInputValue[]

const WRITES = /^\s*(?:INSERT|UPDATE)/

/** A statement that writes refuses what PostgreSQL would refuse. SQLite itself would change half of a pair silently. */
export function guardWrites(statement: StatementSync, sql: string): StatementSync {
  if (!WRITES.test(sql)) return statement
  const run = statement.run.bind(statement)
  const get = statement.get.bind(statement)
  const all = statement.all.bind(statement)
  return Object.assign(statement, {
    run: (...values: Values) => run(...refusing(sql, values)),
    get: (...values: Values) => get(...refusing(sql, values)),
    all: (...values: Values) => all(...refusing(sql, values)),
  })
}

function refusing(sql: string, values: Values): Values {
  refuseUnkept(sql, values)
  return values
}

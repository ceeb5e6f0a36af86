import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { refuseUnkept } from '../../refuse-unkept.ts'
import type { Cell, Row } from '../../sql/driver/work.ts'

const WRITES = /^\s*(?:INSERT|UPDATE)/
const NONE: readonly Cell[] = []

/** A prepared statement. One that writes refuses what PostgreSQL would refuse: SQLite would change half of a pair silently. */
export class Prepared {
  readonly #statement: StatementSync
  readonly #sql: string
  readonly #writes: boolean

  constructor(statement: StatementSync, sql: string) {
    this.#statement = statement
    this.#sql = sql
    this.#writes = WRITES.test(sql)
  }

  /** Returns the number of rows that it changed. */
  run(cells: readonly Cell[] = NONE): number {
    return Number(this.#statement.run(...this.#inputs(cells)).changes)
  }

  all(cells: readonly Cell[] = NONE): readonly Row[] {
    const inputs = this.#inputs(cells)
    try {
      return this.#statement.all(...inputs)
    } catch (thrown) {
      if (this.#writes || !isOutOfRange(thrown)) throw thrown
      return this.#allExactly(inputs)
    }
  }

  /**
   * A number beyond those of JavaScript hides no other row: it is read as a bigint, which no cell takes. Such a row is
   * rare, so the statement is run again for it.
   */
  #allExactly(inputs: readonly SQLInputValue[]): readonly Row[] {
    this.#statement.setReadBigInts(true)
    try {
      return this.#statement.all(...inputs).map(asNumbers)
    } finally {
      this.#statement.setReadBigInts(false)
    }
  }

  #inputs(cells: readonly Cell[]): readonly SQLInputValue[] {
    const inputs = cells.every(isInput) ? cells : cells.map(asInput)
    if (this.#writes) refuseUnkept(this.#sql, inputs)
    return inputs
  }
}

function isInput(cell: Cell): cell is Cell & SQLInputValue {
  return typeof cell !== 'boolean' && !Array.isArray(cell)
}

function asInput(cell: Cell): SQLInputValue {
  if (isInput(cell)) return cell
  return typeof cell === 'boolean' ? Number(cell) : JSON.stringify(cell)
}

function isOutOfRange(thrown: unknown): boolean {
  return thrown instanceof RangeError && 'code' in thrown && thrown.code === 'ERR_OUT_OF_RANGE'
}

function asNumbers(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, isSafe(value) ? Number(value) : value]))
}

function isSafe(value: unknown): value is bigint {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value))
}

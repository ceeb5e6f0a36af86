import { recordsOfEntries } from '../../core/audit/event-records.ts'
import type { SealKey } from '../../core/audit/record-seal.ts'
import type { PlaceName } from '../../core/people/trusted-place.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Asked, SqlDriver, Transaction } from '../sql/driver/driver.ts'
import type { Result, Row, Statement, Work } from '../sql/driver/work.ts'
import { claimPlace } from '../sql/people/sql-access.ts'
import { putRecords } from './audit/put-records.ts'
import type { Database, OnMade } from './database/database.ts'
import { SQLITE } from './database/sqlite-dialect.ts'

/** Work of the shared room in SQLite. */
export class SqliteDriver implements SqlDriver {
  readonly dialect: typeof SQLITE = SQLITE
  readonly display: string
  readonly sealKey: SealKey | null
  readonly #database: Database
  readonly #clock: Pick<Clock, 'now'>

  constructor(database: Database, clock: Pick<Clock, 'now'>) {
    this.#database = database
    this.#clock = clock
    this.display = `sqlite:${database.path}`
    this.sealKey = database.sealKey
  }

  transaction<T>(work: (transaction: Transaction, found: readonly Row[]) => Work<T>, first?: Asked): Promise<T> {
    return this.#database.transaction(() => {
      const found = first ? this.#database.statement(first.sql).all(first.values) : NO_ROWS
      return runWork(this.#database, work(this.#begun(), found))
    })
  }

  read<T>(work: () => Work<T>): Promise<T> {
    return this.#database.read(() => runWork(this.#database, work()))
  }

  snapshot<T>(work: (transaction: Transaction) => Work<T>): Promise<T> {
    return this.#database.snapshot(() => runWork(this.#database, work(this.#begun())))
  }

  /** Records have their places as soon as they are written. */
  async seal(): Promise<void> {}

  async now(): Promise<number> {
    return this.#clock.now()
  }

  #begun(): Transaction {
    const now = this.#clock.now()
    const { sealKey } = this
    const put: Transaction['put'] = (records, isNoted) => putRecords(records, isNoted, sealKey)
    return { dialect: SQLITE, now, put, record: entries => put(recordsOfEntries(entries, now), true) }
  }
}

/** The place in which a store is made is its first: one transaction makes both. */
export function firstPlace(place: PlaceName | null, clock: Pick<Clock, 'now'>): OnMade {
  return database => place && runWork(database, claimPlace(place, clock.now()))
}

type Runner = Pick<Database, 'statement'>

/** Inside a transaction or a read: all of it at once. */
export function runWork<T>(database: Runner, work: Work<T>): T {
  let step = work.next()
  while (!step.done) step = answered(database, work, step.value)
  return step.value
}

function answered<T>(database: Runner, work: Work<T>, statements: readonly Statement[]): ReturnType<Work<T>['next']> {
  const results: Result[] = []
  try {
    for (const { sql, values, wants } of statements) {
      const statement = database.statement(sql)
      if (wants === 'rows') {
        const rows = statement.all(values)
        results.push({ rows, count: rows.length })
      } else {
        const count = statement.run(values)
        results.push(wants === 'count' ? { rows: NO_ROWS, count } : NOTHING)
      }
    }
  } catch (thrown) {
    return work.throw(thrown)
  }
  return work.next(results)
}

const NO_ROWS: readonly Row[] = []
const NOTHING: Result = { rows: NO_ROWS, count: 0 }

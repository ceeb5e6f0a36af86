import { recordsOfEntries } from '../../core/audit/event-records.ts'
import type { SealKey } from '../../core/audit/record-seal.ts'
import type { Asked, SqlDriver, Transaction } from '../sql/driver/driver.ts'
import type { Row, Work } from '../sql/driver/work.ts'
import { putRecords } from './audit/put-records.ts'
import { sealAll } from './audit/seal-audit.ts'
import type { Pool, Transaction as PoolTransaction } from './database/pool.ts'
import { POSTGRES } from './database/postgres-dialect.ts'
import { runWork } from './database/run-work.ts'
import { TIME } from './database/statements.ts'

/** Work of the shared room in PostgreSQL. */
export class PostgresDriver implements SqlDriver {
  readonly dialect: typeof POSTGRES = POSTGRES
  readonly display: string
  readonly sealKey: SealKey | null
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
    this.display = pool.display
    this.sealKey = pool.sealKey
  }

  transaction<T>(work: (transaction: Transaction, found: readonly Row[]) => Work<T>, first?: Asked): Promise<T> {
    const run = (begun: PoolTransaction, found: readonly Row[]) => runWork(begun.query, work(this.#begun(begun), found))
    return first ? this.#pool.transactionFrom(first, run) : this.#pool.transaction(begun => run(begun, []))
  }

  read<T>(work: () => Work<T>): Promise<T> {
    return runWork(this.#pool.query, work())
  }

  snapshot<T>(work: (transaction: Transaction) => Work<T>): Promise<T> {
    return this.#pool.snapshot(begun => runWork(begun.query, work(this.#begun(begun))))
  }

  async seal(): Promise<void> {
    await sealAll(this.#pool)
  }

  async now(): Promise<number> {
    const { time, query } = this.#pool
    return time.known ?? time.hear((await query(`SELECT ${TIME}`)).rows[0]?.['now'])
  }

  #begun({ now }: PoolTransaction): Transaction {
    const { sealKey } = this
    const put: Transaction['put'] = records => putRecords(records, sealKey)
    return { dialect: POSTGRES, now, put, record: entries => put(recordsOfEntries(entries, now), true) }
  }
}

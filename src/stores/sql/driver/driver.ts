import type { NewAuditEntry } from '../../../core/audit/audit.ts'
import type { UnplacedRecord } from '../../../core/audit/event-records.ts'
import type { SealKey } from '../../../core/audit/record-seal.ts'
import type { HostName } from '../../../core/fleet/fleet-host.ts'
import type { ChangeWatch } from './change-watch.ts'
import type { Dialect } from './dialect.ts'
import type { Row, Statement, Work } from './work.ts'

/** A statement whose rows are read. */
export type Asked = Pick<Statement, 'sql' | 'values'>

/** What each transaction has: all that it writes is written, or nothing. */
export interface Transaction {
  readonly dialect: Dialect
  /** Milliseconds since 1970, of the store. */
  readonly now: number
  /** P10: puts records into the log. `isNoted`: no event would show their loss. */
  put(records: readonly UnplacedRecord[], isNoted: boolean): Work<void>
  /** P10: puts on record what follows from no event. */
  record(entries: readonly NewAuditEntry[]): Work<void>
}

/** `work` begins anew if others undid it or kept the database locked, so it changes nothing but the database. */
export interface SqlDriver {
  readonly dialect: Dialect
  /** The location of the store without its password. */
  readonly display: string
  /** The key that seals records. */
  readonly sealKey: SealKey | null
  /** `work` is given the rows of `first`, which PostgreSQL takes along with its BEGIN. */
  transaction<T>(work: (transaction: Transaction, found: readonly Row[]) => Work<T>, first?: Asked): Promise<T>
  /** Statements that read. Others may write between them. */
  read<T>(work: () => Work<T>): Promise<T>
  /** Runs statements that read. All of them see the database as it is when the first one begins. */
  snapshot<T>(work: (transaction: Transaction) => Work<T>): Promise<T>
  /** P10: gives all records that are written their places in the log, for who reads it next. */
  seal(): Promise<void>
  /** Milliseconds since 1970, of the store. */
  now(): Promise<number>
}

/** The objects that each role of the store works with. */
export interface SqlDeps {
  readonly driver: SqlDriver
  readonly changes: ChangeWatch
  /** The machine of this process; `null` if the store has only one. */
  readonly host: HostName | null
}

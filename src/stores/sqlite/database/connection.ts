import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StoreError } from '../../store-error.ts'
import { openUnchanged } from './open-unchanged.ts'
import { Prepared } from './prepared.ts'
import { asStoreError, isUnwritable } from './sqlite-errors.ts'
import { sqliteText } from './sqlite-text.ts'

type Sqlite = typeof import('node:sqlite')

/**
 * The connection of a store and its prepared statements. On a full disk SQLite cannot open a file as usual, as that makes
 * files beside it. All of it can be looked at even so: the file is then opened anew for each piece of work, as usual once
 * there is room.
 */
export class Connection implements Disposable {
  readonly #sqlite: Sqlite
  readonly #path: string
  readonly #statements = new Map<string, Prepared>()
  #database: DatabaseSync
  #isDisposed = false
  #refusal: StoreError | null = null

  private constructor(sqlite: Sqlite, path: string, database: DatabaseSync) {
    this.#sqlite = sqlite
    this.#path = path
    this.#database = database
  }

  static open(sqlite: Sqlite, path: string): Connection {
    return new Connection(sqlite, path, new sqlite.DatabaseSync(path))
  }

  /** To read the file as it is. */
  static look(sqlite: Sqlite, path: string): Connection {
    return new Connection(sqlite, path, openUnchanged(sqlite, path))
  }

  get isDisposed(): boolean {
    return this.#isDisposed
  }

  /** Why nothing can be written; `null` if something can, for all that is known. */
  get refusal(): StoreError | null {
    return this.#refusal
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  configure(): void {
    if (this.#path !== ':memory:') this.exec('PRAGMA journal_mode = WAL')
    this.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** Prepared once, kept for as long as the connection. */
  statement(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = new Prepared(this.prepare(sql), sql)
    this.#statements.set(sql, statement)
    return statement
  }

  prepare(sql: string): StatementSync {
    return this.#database.prepare(sqliteText(sql))
  }

  /** From here on the file is only read, if `thrown` means that the disk is full. @throws what was thrown, if not */
  lookDespite(thrown: unknown): void {
    if (this.#path === ':memory:' || !isUnwritable(thrown)) throw thrown
    this.#close()
    this.#refusal = asRefusal(thrown, this.#path)
  }

  /** All work passes here. */
  use<T>(work: () => T): T {
    if (this.#refusal === null || this.#database.isOpen || this.#isDisposed) return work()
    this.#reopen()
    try {
      return work()
    } finally {
      if (this.#refusal !== null) this.#close()
    }
  }

  #reopen(): void {
    this.#database = new this.#sqlite.DatabaseSync(this.#path)
    try {
      this.configure()
      this.exec('SELECT count(*) FROM sqlite_schema')
      this.#refusal = null
    } catch (thrown) {
      this.#close()
      this.#refusal = asRefusal(thrown, this.#path)
      this.#database = openUnchanged(this.#sqlite, this.#path)
    }
  }

  #close(): void {
    this.#statements.clear()
    if (this.#database.isOpen) this.#database.close()
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#close()
  }
}

/** @throws what was thrown, if the cause is no disk */
function asRefusal(thrown: unknown, path: string): StoreError {
  const refusal = asStoreError(thrown, path)
  if (refusal instanceof StoreError) return refusal
  throw thrown
}

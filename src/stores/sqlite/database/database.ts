import type { StatementSync } from 'node:sqlite'
import { FairTurns } from '../../../async/fair-turns.ts'
import type { SealKey } from '../../../core/audit/record-seal.ts'
import { readMark, refusesWrites } from '../../copy/copy-mark.ts'
import type { StoreError } from '../../store-error.ts'
import { storeFailures } from '../../store-refusals.ts'
import { Connection } from './connection.ts'
import { unlessReadFailed } from './failed-read.ts'
import { loadSqlite } from './load-sqlite.ts'
import { whileLocked } from './lock-patience.ts'
import { APPLICATION } from './opening/empty-database.ts'
import { refuseFault } from './opening/file-fault.ts'
import { OpenedFiles } from './opening/opened-files.ts'
import { makePrivateFile } from './opening/private-file.ts'
import type { Prepared } from './prepared.ts'
import { MOVED } from './schema/copy-schema.ts'
import { MIGRATIONS } from './schema/schema.ts'
import { asStoreError, isBusy } from './sqlite-errors.ts'

/** Writes in the transaction that makes the tables, or brings them up to date. */
export type OnMade = (database: Pick<Database, 'statement'>) => void

export interface DatabaseOptions {
  readonly onMade?: OnMade
  /** The key that seals records. Default: none gets a seal. */
  readonly sealKey?: SealKey | null
}

/**
 * A connection: prepared statements, transactions, and errors that say what to do. Its promises wait while another
 * process has the lock; other work of this process goes on meanwhile.
 */
export class Database implements Disposable {
  readonly #connection: Connection
  readonly path: string
  /** The key that seals records. */
  readonly sealKey: SealKey | null
  readonly #files: OpenedFiles
  /** A write waits for the disk, and the whole process with it. `null` in memory, where no write takes long. */
  readonly #turns: FairTurns | null

  private constructor(connection: Connection, path: string, sealKey: SealKey | null = null) {
    this.#connection = connection
    this.path = path
    this.sealKey = sealKey
    this.#files = new OpenedFiles(path)
    this.#turns = path === ':memory:' ? null : new FairTurns()
  }

  /**
   * A file of this schema on a full disk is opened for looking alone, until there is room.
   * @throws StoreError when the file cannot be opened, is no database, or was written by a newer Holdpoint.
   */
  static async open(path: string, { onMade = () => {}, sealKey = null }: DatabaseOptions = {}): Promise<Database> {
    const sqlite = await loadSqlite()
    try {
      if (path !== ':memory:') {
        await refuseFault(path)
        makePrivateFile(path)
      }
      const database = new Database(Connection.open(sqlite, path), path, sealKey)
      await database.#getReady(onMade)
      return database
    } catch (thrown) {
      throw asStoreError(thrown, path)
    }
  }

  /** Opens a file to read it as it is. Nothing is migrated, and no other file is made. @throws StoreError */
  static async look(path: string): Promise<Database> {
    const sqlite = await loadSqlite()
    try {
      await refuseFault(path)
      const database = new Database(Connection.look(sqlite, path), path)
      await database.read(() => {
        database.#refuseForeign()
        if (database.#version() > MIGRATIONS.length)
          throw storeFailures.newerFile(path, database.#version(), MIGRATIONS.length)
      })
      return database
    } catch (thrown) {
      throw asStoreError(thrown, path)
    }
  }

  async #getReady(onMade: OnMade): Promise<void> {
    try {
      await this.read(() => this.#refuseForeign())
      await this.read(() => this.#connection.configure())
      await this.#migrate(onMade)
      this.#files.noteLog()
    } catch (thrown) {
      await this.#lookDespite(thrown)
    }
  }

  async #lookDespite(thrown: unknown): Promise<void> {
    this.#connection.lookDespite(thrown)
    const isReadable = () => this.#version() === MIGRATIONS.length
    if (!(await this.read(isReadable).catch(() => false))) throw thrown
  }

  /** Prepared once, kept for as long as the connection. */
  statement(sql: string): Prepared {
    return this.#connection.statement(sql)
  }

  /** A statement for rows of another store, which are kept as they are. */
  copyingStatement(sql: string): StatementSync {
    return this.#connection.prepare(sql)
  }

  /** All that `work` writes, or nothing of it. P4: what it returned is in the file that others open. */
  transaction<T>(work: () => T): Promise<T> {
    const written = () => whileLocked(() => this.#transactionAtOnce(work))
    return this.#turns?.run(written) ?? written()
  }

  #transactionAtOnce<T>(work: () => T): T {
    const written = this.readAtOnce(() => {
      if (this.#connection.refusal !== null) throw this.#connection.refusal
      this.statement('BEGIN IMMEDIATE').run()
      try {
        const result = work()
        this.#commit()
        return result
      } catch (thrown) {
        if (this.#connection.isTransaction) this.statement('ROLLBACK').run()
        throw thrown
      }
    })
    this.refuseReplaced()
    return written
  }

  /** After a failed commit the log may have all of it: the next process would find it after a crash. */
  #commit(): void {
    try {
      this.statement('COMMIT').run()
    } catch (thrown) {
      throw isBusy(thrown) ? thrown : asStoreError(thrown, this.path, 'unknown')
    }
  }

  /** Once this was thrown, each read throws it too. @throws StoreError `store_gone` */
  refuseReplaced(): void {
    if (this.#files.look()) throw storeFailures.gone(this.path)
  }

  read<T>(work: () => T): Promise<T> {
    return whileLocked(() => this.readAtOnce(work))
  }

  /** Reads that see one state of the file, if others write meanwhile. */
  snapshot<T>(work: () => T): Promise<T> {
    return this.read(() => {
      this.statement('BEGIN').run()
      try {
        return work()
      } finally {
        if (this.#connection.isTransaction) this.statement('COMMIT').run()
      }
    })
  }

  /** All that was written is in the file itself, and on the disk. Closing a connection would not report a failure. */
  async checkpoint(): Promise<void> {
    await this.read(() => {
      const answer = this.#connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      if (answer?.['busy'] !== 0 || answer['log'] !== answer['checkpointed']) throw storeFailures.logKept(this.path)
    })
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]()
  }

  /** Without waiting for a lock. @throws StoreError `store_busy` then */
  readAtOnce<T>(work: () => T): T {
    if (this.#files.areReplaced) throw storeFailures.gone(this.path)
    try {
      return unlessReadFailed(this.path, () => this.#connection.use(work))
    } catch (thrown) {
      if (thrown instanceof Error && thrown.message === MOVED) throw this.#moved()
      throw this.#connection.isDisposed ? storeFailures.closed(this.path) : asStoreError(thrown, this.path)
    }
  }

  #moved(): StoreError {
    const mark = this.#connection.prepare('SELECT record FROM store_copy').get()?.['record']
    return refusesWrites(readMark(mark), `sqlite:${this.path}`)
  }

  /** A database of another program is left as it is. */
  #refuseForeign(): void {
    const tables = Number(this.#pragma('SELECT count(*) AS value FROM sqlite_schema'))
    if (
      this.#version() > 0
        ? this.#pragma('SELECT application_id AS value FROM pragma_application_id') === APPLICATION
        : tables === 0
    )
      return
    throw storeFailures.foreign(this.path)
  }

  async #migrate(onMade: OnMade): Promise<void> {
    if ((await this.read(() => this.#version())) === MIGRATIONS.length) return
    await this.transaction(() => {
      // Read again under the write lock: of two openers, the second finds the work done.
      const version = this.#version()
      if (version > MIGRATIONS.length) throw storeFailures.newerFile(this.path, version, MIGRATIONS.length)
      for (const migration of MIGRATIONS.slice(version)) this.#connection.exec(migration)
      this.#connection.exec(`PRAGMA user_version = ${MIGRATIONS.length}; PRAGMA application_id = ${APPLICATION}`)
      onMade(this)
    })
  }

  #version(): number {
    return Number(this.#pragma('SELECT user_version AS value FROM pragma_user_version'))
  }

  #pragma(sql: string): unknown {
    return this.#connection.prepare(sql).get()?.['value']
  }
}

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { STORE_GONE } from '../../../core/store-gone.ts'
import { readMark, refusesWrites } from '../../copy/copy-mark.ts'
import { StoreError } from '../../store-error.ts'
import { guardWrites } from './guard-writes.ts'
import { loadSqlite } from './load-sqlite.ts'
import { whileLocked } from './lock-patience.ts'
import { OpenedFiles } from './opened-files.ts'
import { makePrivateFile } from './private-files.ts'
import { MOVED } from './schema/copy-schema.ts'
import { MIGRATIONS } from './schema/schema.ts'
import { asStoreError, isBusy, LOG_KEPT } from './sqlite-errors.ts'
import { unchanged } from './unchanged.ts'

/** `Hold`, as SQLite's application id: tells our files from those of other programs. */
export const APPLICATION = 0x486f6c64

/**
 * One connection: prepared statements, transactions, and errors that say what to do. Its promises wait while another
 * process has the lock; other work of this process goes on meanwhile.
 */
export class Database implements Disposable {
  readonly #connection: DatabaseSync
  readonly path: string
  readonly #statements = new Map<string, StatementSync>()
  readonly #files: OpenedFiles

  private constructor(connection: DatabaseSync, path: string) {
    this.#connection = connection
    this.path = path
    this.#files = new OpenedFiles(path)
  }

  /** @throws StoreError when the file cannot be opened, is no database, or was written by a newer Holdpoint. */
  static async open(path: string): Promise<Database> {
    const { DatabaseSync } = await loadSqlite()
    try {
      if (path !== ':memory:') makePrivateFile(path)
      const database = new Database(new DatabaseSync(path), path)
      await database.read(() => database.#refuseForeign())
      await database.read(() => database.#configure())
      await database.#migrate()
      database.#files.noteLog()
      return database
    } catch (thrown) {
      throw asStoreError(thrown, path)
    }
  }

  /** To read a file as it is: nothing is migrated, and nothing is made beside it. @throws StoreError */
  static async look(path: string): Promise<Database> {
    const { DatabaseSync } = await loadSqlite()
    try {
      const database = new Database(new DatabaseSync(unchanged(path), { readOnly: true }), path)
      await database.read(() => {
        database.#refuseForeign()
        if (database.#version() > MIGRATIONS.length) throw newerSchema(path, database.#version())
      })
      return database
    } catch (thrown) {
      throw asStoreError(thrown, path)
    }
  }

  /** Prepared once, kept for as long as the connection. */
  statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = guardWrites(this.#connection.prepare(sql), sql)
    this.#statements.set(sql, statement)
    return statement
  }

  /** For rows of another store, which are kept as they are. */
  copyingStatement(sql: string): StatementSync {
    return this.#connection.prepare(sql)
  }

  /** All that `work` writes, or nothing of it. P4: what it returned is in the file that others open. */
  transaction<T>(work: () => T): Promise<T> {
    return whileLocked(() => {
      const written = this.readAtOnce(() => {
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
    })
  }

  /** After a commit that failed, the log may have all of it: a process that comes after a crash would find it there. */
  #commit(): void {
    try {
      this.statement('COMMIT').run()
    } catch (thrown) {
      throw isBusy(thrown) ? thrown : asStoreError(thrown, this.path, 'unknown')
    }
  }

  /** Once this was thrown, each read throws it too. @throws StoreError `store_gone` */
  refuseReplaced(): void {
    if (this.#files.look()) throw gone(this.path)
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

  /** All that was written is in the file itself, and on the disk. To close a connection does not tell if that failed. */
  async checkpoint(): Promise<void> {
    await this.read(() => {
      const answer = this.#connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      if (answer?.['busy'] !== 0 || answer['log'] !== answer['checkpointed']) throw logKept(this.path)
    })
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    if (this.#connection.isOpen) this.#connection.close()
  }

  /** Without waiting for a lock. @throws StoreError `store_busy` then */
  readAtOnce<T>(work: () => T): T {
    if (this.#files.areReplaced) throw gone(this.path)
    try {
      return work()
    } catch (thrown) {
      if (thrown instanceof Error && thrown.message === MOVED) throw this.#moved()
      throw this.#connection.isOpen ? asStoreError(thrown, this.path) : closed(this.path)
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
    throw new StoreError('store_foreign', `${this.path} is the database of another program.`, {
      hint: 'Name a file of its own with --store. Nothing was changed.',
    })
  }

  #configure(): void {
    if (this.path !== ':memory:') this.#connection.exec('PRAGMA journal_mode = WAL')
    this.#connection.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  }

  async #migrate(): Promise<void> {
    if ((await this.read(() => this.#version())) === MIGRATIONS.length) return
    await this.transaction(() => {
      // Read again under the write lock: of two openers, the second finds the work done.
      const version = this.#version()
      if (version > MIGRATIONS.length) throw newerSchema(this.path, version)
      for (const migration of MIGRATIONS.slice(version)) this.#connection.exec(migration)
      this.#connection.exec(`PRAGMA user_version = ${MIGRATIONS.length}; PRAGMA application_id = ${APPLICATION}`)
    })
  }

  #version(): number {
    return Number(this.#pragma('SELECT user_version AS value FROM pragma_user_version'))
  }

  #pragma(sql: string): unknown {
    return this.#connection.prepare(sql).get()?.['value']
  }
}

function gone(path: string): StoreError {
  return new StoreError(
    STORE_GONE,
    `The store ${path} was deleted or replaced while this process used it, so what it wrote last is not kept.`,
    { hint: 'See what was done last before you start it again: this process stopped, and told nothing of that.' },
  )
}

function logKept(path: string): StoreError {
  return new StoreError(LOG_KEPT, `The log of ${path} could not be written back: another process reads it.`, {
    hint: 'Try again when that process has ended.',
  })
}

function closed(path: string): StoreError {
  return new StoreError('store_closed', `This Holdpoint was closed, and with it the store ${path}.`, {
    hint: 'Open another one, and close it when its last call is through. Nothing was changed.',
  })
}

function newerSchema(path: string, version: number): StoreError {
  return new StoreError(
    'store_newer',
    `${path} has schema version ${version}; this Holdpoint knows up to ${MIGRATIONS.length}.`,
    {
      hint: 'Use the Holdpoint that wrote it, or a newer one. Nothing was changed.',
    },
  )
}

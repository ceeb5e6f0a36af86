/**
 * A copy is made in a file beside the one that it becomes: so no process opens it before it is all there. It gets its name
 * once all of it is in that file and on the disk: the log beside it does not come along.
 */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type CopiedCell,
  type CopiedKey,
  type CopiedRow,
  type CopiedTable,
  cellBytes,
} from '../../copy/copied-tables.ts'
import type { CopyTarget } from '../../copy/copy-ends.ts'
import { type CopyMark, readMark } from '../../copy/copy-mark.ts'
import { findMark, newestKey, putMark, readPage } from '../../sql/copy/copied-rows.ts'
import type { Work } from '../../sql/driver/work.ts'
import { SEQ_SPAN } from '../../thread-full.ts'
import { Database } from '../database/database.ts'
import { loadSqlite } from '../database/load-sqlite.ts'
import { openUnchanged } from '../database/open-unchanged.ts'
import { SQLITE } from '../database/sqlite-dialect.ts'
import { asStoreError } from '../database/sqlite-errors.ts'
import { runWork } from '../sqlite-driver.ts'

export async function openTarget(file: string): Promise<CopyTarget> {
  const unfinished = `${file}.copying`
  if (isSameFile(file, unfinished)) unlinkSync(unfinished)
  return new SqliteCopyTarget(file, existsSync(unfinished) && !existsSync(file) ? await openAlone(unfinished) : null)
}

/** True if a copy was cut off just when it had its name. */
function isSameFile(file: string, unfinished: string): boolean {
  const [one, other] = [file, unfinished].map(path => statSync(path, { throwIfNoEntry: false }))
  return one !== undefined && one.ino === other?.ino
}

/** Two copies at once would meet in the same file. */
async function openAlone(path: string): Promise<Database> {
  const database = await Database.open(path)
  await database.read(() => database.statement('PRAGMA locking_mode = EXCLUSIVE').all())
  return database
}

class SqliteCopyTarget implements CopyTarget {
  readonly display: string
  readonly hasHosts = false
  readonly #file: string
  #database: Database | null

  constructor(file: string, database: Database | null) {
    this.display = `sqlite:${file}`
    this.#file = file
    this.#database = database
  }

  async mark(): Promise<CopyMark | null> {
    if (existsSync(this.#file)) return markInFile(this.#file)
    const database = this.#database
    const mark = await database?.read(() => runWork(database, findMark()))
    // The copy is done once the file has its name.
    return mark ? { ...mark, state: 'under_way' } : null
  }

  /** A file that exists may be in use, even if it has no rows. */
  async isEmpty(): Promise<boolean> {
    return !existsSync(this.#file) && (await this.mark()) === null
  }

  async begin(mark: CopyMark): Promise<boolean> {
    if (!(await this.isEmpty())) return false
    this.#database ??= await openAlone(this.#unfinished)
    await this.#opened.transaction(() => runWork(this.#opened, putMark(mark)))
    return true
  }

  async newest(table: CopiedTable): Promise<CopiedKey | null> {
    return this.#read(() => newestKey(SQLITE, table))
  }

  async page(table: CopiedTable, after: CopiedKey | null, limit: number): Promise<CopiedRow[]> {
    return this.#read(() => readPage(SQLITE, table, { after, limit }))
  }

  #read<T>(work: () => Work<T>): Promise<T> {
    return this.#opened.read(() => runWork(this.#opened, work()))
  }

  async put(table: CopiedTable, after: CopiedKey | null, rows: readonly CopiedRow[]): Promise<boolean> {
    return this.#opened.transaction(() => {
      if (String(runWork(this.#opened, newestKey(SQLITE, table))) !== String(after)) return false
      insertRows(this.#opened, table, rows)
      return true
    })
  }

  async seal(secret: string): Promise<void> {
    const database = this.#opened
    await database.transaction(() => {
      database.statement('UPDATE secret SET value = ?').run([secret])
      database
        .statement('INSERT OR REPLACE INTO audit_head SELECT 1, seq, hash FROM audit ORDER BY seq DESC LIMIT 1')
        .run()
      runWork(database, putMark({ ...(runWork(database, findMark()) as CopyMark), state: 'done' }))
    })
    await database.checkpoint()
    this.#close()
    this.#guarded(() => {
      // The log is empty by now. Some systems keep the file.
      rmSync(`${this.#unfinished}-wal`, { force: true })
      syncFile(this.#unfinished)
      syncFile(dirname(this.#file))
    })
    this.#database = await Database.look(this.#unfinished)
  }

  async finish(): Promise<void> {
    this.#close()
    this.#guarded(() => {
      linkSync(this.#unfinished, this.#file)
      unlinkSync(this.#unfinished)
      syncFile(dirname(this.#file))
    })
  }

  #close(): void {
    this.#database?.[Symbol.dispose]()
    this.#database = null
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      throw asStoreError(thrown, this.#file)
    }
  }

  get #unfinished(): string {
    return `${this.#file}.copying`
  }

  get #opened(): Database {
    if (!this.#database) throw new TypeError('the copy has not begun')
    return this.#database
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close()
  }
}

/** Reads the mark of a file that is not opened as a store: the file may be anything. */
async function markInFile(path: string): Promise<CopyMark | null> {
  const sqlite = await loadSqlite()
  try {
    using database = openUnchanged(sqlite, path, 1000)
    return readMark(database.prepare('SELECT record FROM store_copy').get()?.['record'])
  } catch {
    return null
  }
}

/** Inside a transaction. */
function insertRows(database: Database, table: CopiedTable, rows: readonly CopiedRow[]): void {
  const isEvents = table.name === 'events'
  const columns = isEvents ? ['place', ...table.columns.slice(2)] : table.columns
  const insert = database.copyingStatement(
    `INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  for (const row of rows) {
    const [thread, seq, ...rest] = row
    insert.run(
      ...(isEvents
        ? [Number(thread) * SEQ_SPAN + Number(seq), ...rest]
        : row.map((cell, n) => storedCell(table, cell, n))),
    )
  }
}

function storedCell({ columns, bytes }: CopiedTable, cell: CopiedCell, place: number): CopiedCell | Buffer {
  return bytes.includes(columns[place] ?? '') ? cellBytes(cell) : cell
}

/** What was written to a file, or which names a directory has, is on the disk afterwards. */
function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

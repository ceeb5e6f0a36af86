/** A copy is made in place: until it is all there, triggers refuse each write but those of the copy. */
import { COPIED_TABLES, type CopiedKey, type CopiedRow, type CopiedTable } from '../../copy/copied-tables.ts'
import type { CopyTarget, Purpose } from '../../copy/copy-ends.ts'
import type { CopyMark } from '../../copy/copy-mark.ts'
import { findMark, newestKey, putMark, readPage } from '../../sql/copy/copied-rows.ts'
import type { WriteBlock } from '../../sql/copy/sql-copy-source.ts'
import { all, first, run, type Work } from '../../sql/driver/work.ts'
import { inspectDatabase } from '../database/inspect-database.ts'
import { Pool } from '../database/pool.ts'
import { POSTGRES } from '../database/postgres-dialect.ts'
import { PostgresDriver } from '../postgres-driver.ts'
import { insertRows } from './copied-rows.ts'
import { blockIn } from './write-block.ts'

export async function openTarget(url: string, purpose: Purpose): Promise<CopyTarget> {
  const { schema, newest } = await inspectDatabase(url)
  const isOpened = schema > 0 && (purpose === 'copy' || schema >= newest)
  const pool = await (isOpened ? Pool.open(url, null, { mayBeUnfinished: true }) : Pool.unopened(url))
  return new PostgresCopyTarget(url, pool, schema > 0)
}

class PostgresCopyTarget implements CopyTarget {
  readonly display: string
  readonly hasHosts = true
  readonly #url: string
  readonly #block: WriteBlock
  #pool: Pool
  #driver: PostgresDriver
  #isMade: boolean
  #copyId: string | null = null

  constructor(url: string, pool: Pool, isMade: boolean) {
    this.display = pool.display
    this.#url = url
    this.#pool = pool
    this.#driver = new PostgresDriver(pool)
    this.#block = blockIn(pool.schema)
    this.#isMade = isMade
  }

  async mark(): Promise<CopyMark | null> {
    const block = this.#block
    const mark = await this.#driver.read(function* () {
      return (yield* block.isThere('store_copy')) ? yield* findMark() : undefined
    })
    if (mark !== undefined) this.#copyId = mark?.copy_id ?? null
    return mark ?? null
  }

  async isEmpty(): Promise<boolean> {
    return !this.#isMade || this.#driver.read(() => isEmpty(this.#block))
  }

  async begin(mark: CopyMark): Promise<boolean> {
    if (!this.#isMade) await this.#make()
    const block = this.#block
    const isBegun = await this.#driver.transaction(function* () {
      yield* block.lock()
      if (!(yield* isEmpty(block))) return false
      yield* putMark(mark)
      yield* block.refuseWrites()
      return true
    })
    if (isBegun) this.#copyId = mark.copy_id
    return isBegun
  }

  async #make(): Promise<void> {
    const pool = await Pool.open(this.#url, null, { mayBeUnfinished: true })
    await this.#pool[Symbol.asyncDispose]()
    this.#pool = pool
    this.#driver = new PostgresDriver(pool)
    this.#isMade = true
  }

  async newest(table: CopiedTable): Promise<CopiedKey | null> {
    return this.#driver.read(() => newestKey(POSTGRES, table))
  }

  async page(table: CopiedTable, after: CopiedKey | null, limit: number): Promise<CopiedRow[]> {
    return this.#driver.read(() => readPage(POSTGRES, table, { after, limit }))
  }

  async put(table: CopiedTable, after: CopiedKey | null, rows: readonly CopiedRow[]): Promise<boolean> {
    return this.#write(function* () {
      // The lock keeps a second copy out.
      yield* first('SELECT one FROM @store_copy FOR UPDATE')
      if (String(yield* newestKey(POSTGRES, table)) !== String(after)) return false
      yield* insertRows(table, rows)
      return true
    })
  }

  async seal(secret: string): Promise<void> {
    await this.#write(function* () {
      yield* run('UPDATE @secret SET value = ?', [secret])
      yield* run(
        `UPDATE @audit_head SET seq = newest.seq, hash = newest.hash
         FROM (SELECT seq, hash FROM @audit ORDER BY seq DESC LIMIT 1) newest`,
      )
    })
  }

  async finish(): Promise<void> {
    const block = this.#block
    const { schema } = this.#pool
    await this.#write(function* () {
      yield* block.lock()
      yield* goOnCounting(schema)
      yield* block.takeWrites()
      const mark = yield* findMark()
      if (mark) yield* putMark({ ...mark, state: 'done' })
    })
  }

  #write<T>(work: () => Work<T>): Promise<T> {
    const copyId = this.#copyId
    return this.#driver.transaction(function* () {
      yield* first(`SELECT set_config('holdpoint.copy', ?, true)`, [copyId])
      return yield* work()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }
}

function* isEmpty({ isThere }: WriteBlock): Work<boolean> {
  for (const name of [...COPIED_TABLES.map(({ name }) => name), 'audit_pending', 'store_copy'])
    if ((yield* isThere(name)) && (yield* first(`SELECT 1 FROM @${name} LIMIT 1`))) return false
  return true
}

/** New rows get numbers after those that were copied. */
function* goOnCounting(schema: string): Work<void> {
  const rows = yield* all(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = ? AND is_identity = 'YES'`,
    [schema],
  )
  for (const { name } of rows)
    yield* first(
      `SELECT setval(pg_get_serial_sequence('"${schema}".${String(name)}', 'number'), coalesce(max(number), 1), max(number) IS NOT NULL)
       FROM @${String(name)}`,
    )
}

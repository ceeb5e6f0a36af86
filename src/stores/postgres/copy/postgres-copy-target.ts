/** A copy is made in place: until it is all there, triggers refuse each write but those of the copy. */
import { COPIED_TABLES, type CopiedKey, type CopiedRow, type CopiedTable } from '../../copy/copied-tables.ts'
import type { CopyTarget } from '../../copy/copy-ends.ts'
import type { CopyMark } from '../../copy/copy-mark.ts'
import type { Purpose } from '../../copy/open-copy.ts'
import { inspectDatabase } from '../database/inspect-database.ts'
import { Pool, type Query } from '../database/pool.ts'
import {
  insertRows,
  isThere,
  lockTables,
  markIn,
  newestKey,
  putMark,
  readPage,
  refuseWrites,
  takeWrites,
} from './copied-rows.ts'

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
  #pool: Pool
  #isMade: boolean
  #copyId: string | null = null

  constructor(url: string, pool: Pool, isMade: boolean) {
    this.display = pool.display
    this.#url = url
    this.#pool = pool
    this.#isMade = isMade
  }

  async mark(): Promise<CopyMark | null> {
    if (!(await isThere(this.#pool, 'store_copy'))) return null
    const mark = await markIn(this.#pool.query)
    this.#copyId = mark?.copy_id ?? null
    return mark
  }

  async isEmpty(): Promise<boolean> {
    return !this.#isMade || isEmpty(this.#pool)
  }

  async begin(mark: CopyMark): Promise<boolean> {
    if (!this.#isMade) await this.#make()
    const { schema } = this.#pool
    return this.#pool.transaction(async ({ query }) => {
      await lockTables(query, schema)
      if (!(await isEmpty({ query, schema }))) return false
      await putMark(query, mark)
      await refuseWrites(query, schema)
      this.#copyId = mark.copy_id
      return true
    })
  }

  async #make(): Promise<void> {
    const pool = await Pool.open(this.#url, null, { mayBeUnfinished: true })
    await this.#pool[Symbol.asyncDispose]()
    this.#pool = pool
    this.#isMade = true
  }

  async newest(table: CopiedTable): Promise<CopiedKey | null> {
    return newestKey(this.#pool.query, table)
  }

  async page(table: CopiedTable, after: CopiedKey | null, limit: number): Promise<CopiedRow[]> {
    return readPage(this.#pool.query, table, { after, limit })
  }

  async put(table: CopiedTable, after: CopiedKey | null, rows: readonly CopiedRow[]): Promise<boolean> {
    return this.#write(async query => {
      // One copy at a time.
      await query('SELECT one FROM @store_copy FOR UPDATE')
      if (String(await newestKey(query, table)) !== String(after)) return false
      await insertRows(query, table, rows)
      return true
    })
  }

  async seal(secret: string): Promise<void> {
    await this.#write(async query => {
      await query('UPDATE @secret SET value = $1', [secret])
      await query(
        `UPDATE @audit_head SET seq = newest.seq, hash = newest.hash
         FROM (SELECT seq, hash FROM @audit ORDER BY seq DESC LIMIT 1) newest`,
      )
    })
  }

  async finish(): Promise<void> {
    const { schema } = this.#pool
    await this.#write(async query => {
      await lockTables(query, schema)
      await goOnCounting(query, schema)
      await takeWrites(query, schema)
      const mark = await markIn(query)
      if (mark) await putMark(query, { ...mark, state: 'done' })
    })
  }

  #write<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#pool.transaction(async ({ query }) => {
      await query(`SELECT set_config('holdpoint.copy', $1, true)`, [this.#copyId])
      return work(query)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }
}

async function isEmpty(place: Pick<Pool, 'query' | 'schema'>): Promise<boolean> {
  for (const name of [...COPIED_TABLES.map(({ name }) => name), 'audit_pending', 'store_copy']) {
    const isFilled = (await isThere(place, name)) && (await place.query(`SELECT FROM @${name} LIMIT 1`)).count > 0
    if (isFilled) return false
  }
  return true
}

/** Numbers of new rows come behind those that were copied. */
async function goOnCounting(query: Query, schema: string): Promise<void> {
  const { rows } = await query(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = $1 AND is_identity = 'YES'`,
    [schema],
  )
  for (const { name } of rows)
    await query(
      `SELECT setval(pg_get_serial_sequence('"${schema}".${String(name)}', 'number'), coalesce(max(number), 1), max(number) IS NOT NULL)
       FROM @${String(name)}`,
    )
}

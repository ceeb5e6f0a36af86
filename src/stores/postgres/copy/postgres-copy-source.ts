import { isoTime } from '../../../core/text/iso-time.ts'
import type { CopiedKey, CopiedRow, CopiedTable } from '../../copy/copied-tables.ts'
import type { CopySource, Freezing, LiveWork } from '../../copy/copy-ends.ts'
import type { CopyMark } from '../../copy/copy-mark.ts'
import type { Purpose } from '../../copy/open-copy.ts'
import { auditEntries } from '../audit/audit-records.ts'
import { sealWithin } from '../audit/seal-audit.ts'
import { inspectDatabase } from '../database/inspect-database.ts'
import { Pool, type Query } from '../database/pool.ts'
import { noStore } from '../database/schema/open-schema.ts'
import { countRows, isThere, lockTables, markIn, putMark, readPage, refuseWrites, takeWrites } from './copied-rows.ts'

/** @throws RefusedError `no_store`; StoreError */
export async function openSource(url: string, purpose: Purpose): Promise<CopySource> {
  const { schema, newest } = await inspectDatabase(url)
  const isOpened = schema > 0 && (purpose === 'copy' || schema >= newest)
  const pool = await (isOpened ? Pool.open(url, null, { mayBeUnfinished: true }) : Pool.unopened(url))
  if (schema > 0) return new PostgresCopySource(pool)
  await pool[Symbol.asyncDispose]()
  throw noStore(pool)
}

class PostgresCopySource implements CopySource {
  readonly display: string
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.display = pool.display
    this.#pool = pool
  }

  async mark(): Promise<CopyMark | null> {
    return (await isThere(this.#pool, 'store_copy')) ? markIn(this.#pool.query) : null
  }

  async count(table: CopiedTable): Promise<number> {
    return (await isThere(this.#pool, table.name)) ? countRows(this.#pool.query, table) : 0
  }

  async page(table: CopiedTable, after: CopiedKey | null, limit: number): Promise<CopiedRow[]> {
    return readPage(this.#pool.query, table, { after, limit })
  }

  async secret(): Promise<string> {
    return String((await this.#pool.query('SELECT value FROM @secret')).rows[0]?.['value'])
  }

  async live(): Promise<LiveWork> {
    return this.#pool.snapshot(({ query }) => liveWork(query))
  }

  async freeze({ mark, entry, refuse }: Freezing): Promise<void> {
    const { schema } = this.#pool
    await this.#pool.transaction(async ({ query, now }) => {
      await lockTables(query, schema)
      refuse(await liveWork(query))
      auditEntries(query, [entry], now)
      await sealWithin(query)
      await putMark(query, mark)
      await refuseWrites(query, schema)
    })
  }

  async settle(copyId: string): Promise<boolean> {
    return this.#putState(copyId, 'done')
  }

  async unsettle(copyId: string): Promise<void> {
    await this.#putState(copyId, 'under_way')
  }

  #putState(copyId: string, state: CopyMark['state']): Promise<boolean> {
    return this.#pool.transaction(async ({ query }) => {
      const mark = await markIn(query)
      if (mark?.copy_id !== copyId) return false
      await putMark(query, { ...mark, state })
      return true
    })
  }

  async thaw(): Promise<boolean> {
    const { schema } = this.#pool
    return this.#pool.transaction(async ({ query }) => {
      await lockTables(query, schema)
      const mark = await markIn(query)
      if (mark?.role !== 'source' || mark.state === 'done') return false
      await takeWrites(query, schema)
      await query('DELETE FROM @store_copy')
      return true
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }
}

async function liveWork(query: Query): Promise<LiveWork> {
  const runs = await query(
    'SELECT id, lease_owner, lease_until FROM @runs WHERE lease_owner IS NOT NULL ORDER BY number',
  )
  const tasks = await query(`SELECT id, status FROM @tasks WHERE status IN ('pending', 'running') ORDER BY number`)
  return {
    runs: runs.rows.map(row => ({
      ...{ id: String(row['id']), owner: String(row['lease_owner']) },
      until: isoTime(Number(row['lease_until'])),
    })),
    tasks: tasks.rows.map(row => ({ id: String(row['id']), status: String(row['status']) })),
  }
}

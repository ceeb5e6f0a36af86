/** Records become readable when they are sealed, in the order of their `seq`, so a cursor never skips one that commits late. */
import { readableRecord } from '../../../core/audit/audit-query.ts'
import type { Cursor, FeedEntry } from '../../../ports/store/feed.ts'
import type { Pool, Query } from '../database/pool.ts'
import { readAudit } from './query-audit.ts'
import { readHead, sealAll, sealIfAllowed } from './seal-audit.ts'

export async function readFeed(pool: Pool, after: number, limit: number): Promise<FeedEntry[]> {
  await sealIfAllowed(pool)
  return (await readAudit(pool.query, after, limit)).map(row => ({ seq: row.seq, record: readableRecord(row) }))
}

export class PostgresCursor implements Cursor {
  readonly #pool: Pool
  readonly #name: string

  constructor(pool: Pool, name: string) {
    this.#pool = pool
    this.#name = name
  }

  async read(): Promise<number> {
    return (await readCursor(this.#pool.query, this.#name)) ?? 0
  }

  async advance(from: number, to: number): Promise<boolean> {
    if (to < from) return false
    await sealAll(this.#pool)
    return this.#pool.transaction(async ({ query }) => {
      if (to > (await readHead(query)).seq) return false
      const make = 'INSERT INTO @cursors (name, seq) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING'
      if (from === 0) await query(make, [this.#name])
      const move = 'UPDATE @cursors SET seq = $3 WHERE name = $1 AND seq = $2'
      return (await query(move, [this.#name, from, to])).count === 1
    })
  }
}

/** `null` if it was never advanced. */
export async function readCursor(query: Query, name: string): Promise<number | null> {
  const [row] = (await query('SELECT seq FROM @cursors WHERE name = $1', [name])).rows
  return row ? Number(row['seq']) : null
}

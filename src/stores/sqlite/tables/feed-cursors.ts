/** SQLite has one writer at a time, so records become readable in the order of their `seq`. */
import { readableRecord } from '../../../core/audit/audit-query.ts'
import type { Cursor, FeedEntry } from '../../../ports/store/feed.ts'
import type { Database } from '../database/database.ts'
import { newestHead, readAudit } from './audit-table.ts'

export function readFeed(database: Database, after: number, limit: number): FeedEntry[] {
  return readAudit(database, after, limit).map(row => ({ seq: row.seq, record: readableRecord(row) }))
}

export class SqliteCursor implements Cursor {
  readonly #database: Database
  readonly #name: string

  constructor(database: Database, name: string) {
    this.#database = database
    this.#name = name
  }

  async read(): Promise<number> {
    return this.#database.read(() => this.#seq())
  }

  async advance(from: number, to: number): Promise<boolean> {
    return this.#database.transaction(() => {
      if (to < from || this.#seq() !== from || to > newestHead(this.#database).seq) return false
      this.#database
        .statement('INSERT INTO cursors (name, seq) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq')
        .run(this.#name, to)
      return true
    })
  }

  #seq(): number {
    return Number(this.#database.statement('SELECT seq FROM cursors WHERE name = ?').get(this.#name)?.['seq'] ?? 0)
  }
}

import { readableRecord } from '../../../core/audit/audit-query.ts'
import type { Cursor, FeedEntry } from '../../../ports/store/feed.ts'
import type { SqlDriver } from '../driver/driver.ts'
import { makeCursor, moveCursor, readCursor } from '../tables/cursors.ts'
import { readAudit, readHead } from './audit-rows.ts'
import { sealIfAllowed } from './seal-if-allowed.ts'

/** Records become readable in the order of their `seq`, so a cursor never skips one that commits late. */
export async function readFeed(driver: SqlDriver, after: number, limit: number): Promise<FeedEntry[]> {
  await sealIfAllowed(driver)
  const rows = await driver.read(() => readAudit(after, limit))
  return rows.map(row => ({ seq: row.seq, record: readableRecord(row) }))
}

export class FeedCursor implements Cursor {
  readonly #driver: SqlDriver
  readonly #name: string

  constructor(driver: SqlDriver, name: string) {
    this.#driver = driver
    this.#name = name
  }

  async read(): Promise<number> {
    return (await this.#driver.read(() => readCursor(this.#name))) ?? 0
  }

  async advance(from: number, to: number): Promise<boolean> {
    if (to < from) return false
    await this.#driver.seal()
    const name = this.#name
    return this.#driver.transaction(function* ({ dialect }) {
      if (to > (yield* readHead(dialect)).seq) return false
      if (from === 0) yield* makeCursor(name, 0)
      return yield* moveCursor(name, from, to)
    })
  }
}

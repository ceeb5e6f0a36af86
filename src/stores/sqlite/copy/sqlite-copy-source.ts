import { isoTime } from '../../../core/text/iso-time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CopiedKey, CopiedRow, CopiedTable } from '../../copy/copied-tables.ts'
import type { CopySource, Freezing, LiveWork } from '../../copy/copy-ends.ts'
import type { CopyMark } from '../../copy/copy-mark.ts'
import type { Purpose } from '../../copy/open-copy.ts'
import { Database } from '../database/database.ts'
import { MOVED } from '../database/schema/copy-schema.ts'
import { auditEntries } from '../tables/audit-table.ts'
import { countRows, isThere, markIn, putMark, readPage } from './copied-rows.ts'

type Now = Pick<Clock, 'now'>

interface Site {
  readonly file: string
  readonly clock: Now
  readonly purpose: Purpose
}

/** @throws StoreError */
export async function openSource({ file, clock, purpose }: Site): Promise<CopySource> {
  const database = await (purpose === 'look' ? Database.look(file) : Database.open(file))
  return new SqliteCopySource(database, clock)
}

class SqliteCopySource implements CopySource {
  readonly display: string
  readonly #database: Database
  readonly #clock: Now

  constructor(database: Database, clock: Now) {
    this.display = `sqlite:${database.path}`
    this.#database = database
    this.#clock = clock
  }

  async mark(): Promise<CopyMark | null> {
    return this.#database.read(() => (isThere(this.#database, 'store_copy') ? markIn(this.#database) : null))
  }

  async count(table: CopiedTable): Promise<number> {
    return this.#database.read(() => (isThere(this.#database, table.name) ? countRows(this.#database, table) : 0))
  }

  async page(table: CopiedTable, after: CopiedKey | null, limit: number): Promise<CopiedRow[]> {
    return this.#database.read(() => readPage(this.#database, table, { after, limit }))
  }

  async secret(): Promise<string> {
    const database = this.#database
    const read = () => database.statement('SELECT value FROM secret').get()?.['value']
    return database.read(() => (isThere(database, 'secret') ? String(read()) : ''))
  }

  async live(): Promise<LiveWork> {
    return this.#database.read(() => liveWork(this.#database))
  }

  async freeze({ mark, entry, refuse }: Freezing): Promise<void> {
    const database = this.#database
    await database.transaction(() => {
      const now = this.#clock.now()
      refuse(liveWork(database))
      auditEntries(database, [entry], now)
      putMark(database, mark)
      for (const { name, sql } of refusals(database)) database.statement(`CREATE TRIGGER ${name} ${sql}`).run()
    })
  }

  async settle(copyId: string): Promise<boolean> {
    return this.#putState(copyId, 'done')
  }

  async unsettle(copyId: string): Promise<void> {
    await this.#putState(copyId, 'under_way')
  }

  #putState(copyId: string, state: CopyMark['state']): Promise<boolean> {
    return this.#database.transaction(() => {
      const mark = markIn(this.#database)
      if (mark?.copy_id !== copyId) return false
      putMark(this.#database, { ...mark, state })
      return true
    })
  }

  async thaw(): Promise<boolean> {
    const database = this.#database
    return database.transaction(() => {
      const mark = markIn(database)
      if (mark?.role !== 'source' || mark.state === 'done') return false
      for (const { name } of refusals(database)) database.statement(`DROP TRIGGER ${name}`).run()
      database.statement('DELETE FROM store_copy').run()
      return true
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database[Symbol.dispose]()
  }
}

const WRITES = ['INSERT', 'UPDATE', 'DELETE'] as const

/** Triggers refuse each kind of write. They also stop a process that has had the file open since long before. */
function refusals(database: Database): { readonly name: string; readonly sql: string }[] {
  const tables = database
    .statement(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'store_copy' AND name NOT LIKE 'sqlite%'`,
    )
    .all()
    .map(({ name }) => String(name))
  return tables.flatMap(table =>
    WRITES.map(write => ({
      name: `refuse_${write.toLowerCase()}_of_${table}`,
      sql: `BEFORE ${write} ON ${table} BEGIN SELECT RAISE(ABORT, '${MOVED}'); END`,
    })),
  )
}

function liveWork(database: Database): LiveWork {
  const runs = database.statement(
    'SELECT id, lease_owner, lease_until FROM runs WHERE lease_owner IS NOT NULL ORDER BY number',
  )
  const tasks = isThere(database, 'tasks')
    ? database.statement(`SELECT id, status FROM tasks WHERE status IN ('pending', 'running') ORDER BY number`).all()
    : []
  return {
    runs: runs.all().map(row => ({
      ...{ id: String(row['id']), owner: String(row['lease_owner']) },
      until: isoTime(Number(row['lease_until'])),
    })),
    tasks: tasks.map(row => ({ id: String(row['id']), status: String(row['status']) })),
  }
}

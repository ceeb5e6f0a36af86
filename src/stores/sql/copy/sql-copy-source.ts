import { isoTime } from '../../../core/text/iso-time.ts'
import type { CopiedKey, CopiedRow, CopiedTable } from '../../copy/copied-tables.ts'
import type { CopySource, Freezing, LiveWork } from '../../copy/copy-ends.ts'
import type { CopyMark } from '../../copy/copy-mark.ts'
import type { SqlDriver } from '../driver/driver.ts'
import { all, first, run, type Work } from '../driver/work.ts'
import { countRows, findMark, putMark, readPage } from './copied-rows.ts'

/** How a database keeps writers out of a store that moves. All are inside a transaction. */
export interface WriteBlock {
  /** A store of an older version has not all tables. */
  isThere(table: string): Work<boolean>
  /** From here on no other process writes before the end of the transaction. */
  lock(): Work<void>
  /** P10: gives all records their places in the log. */
  sealRecords(): Work<void>
  refuseWrites(): Work<void>
  takeWrites(): Work<void>
}

export class SqlCopySource implements CopySource {
  readonly display: string
  readonly #driver: SqlDriver
  readonly #block: WriteBlock
  readonly #database: Disposable | AsyncDisposable

  constructor(driver: SqlDriver, block: WriteBlock, database: Disposable | AsyncDisposable) {
    this.display = driver.display
    this.#driver = driver
    this.#block = block
    this.#database = database
  }

  async mark(): Promise<CopyMark | null> {
    return this.#ifThere('store_copy', null, findMark)
  }

  async count(table: CopiedTable): Promise<number> {
    return this.#ifThere(table.name, 0, () => countRows(table))
  }

  async page(table: CopiedTable, after: CopiedKey | null, limit: number): Promise<CopiedRow[]> {
    return this.#driver.read(() => readPage(this.#driver.dialect, table, { after, limit }))
  }

  async secret(): Promise<string> {
    const row = await this.#ifThere('secret', undefined, () => first('SELECT value FROM @secret'))
    return String(row?.['value'] ?? '')
  }

  #ifThere<T>(table: string, otherwise: T, read: () => Work<T>): Promise<T> {
    const block = this.#block
    return this.#driver.read(function* () {
      return (yield* block.isThere(table)) ? yield* read() : otherwise
    })
  }

  async live(): Promise<LiveWork> {
    return this.#driver.snapshot(() => liveWork(this.#block))
  }

  async freeze({ mark, entry, refuse }: Freezing): Promise<void> {
    const block = this.#block
    await this.#driver.transaction(function* ({ record }) {
      yield* block.lock()
      refuse(yield* liveWork(block))
      yield* record([entry])
      yield* block.sealRecords()
      yield* putMark(mark)
      yield* block.refuseWrites()
    })
  }

  async settle(copyId: string): Promise<boolean> {
    return this.#putState(copyId, 'done')
  }

  async unsettle(copyId: string): Promise<void> {
    await this.#putState(copyId, 'under_way')
  }

  #putState(copyId: string, state: CopyMark['state']): Promise<boolean> {
    return this.#driver.transaction(function* () {
      const mark = yield* findMark()
      if (mark?.copy_id !== copyId) return false
      yield* putMark({ ...mark, state })
      return true
    })
  }

  async thaw(): Promise<boolean> {
    const block = this.#block
    return this.#driver.transaction(function* () {
      yield* block.lock()
      const mark = yield* findMark()
      if (mark?.role !== 'source' || mark.state === 'done') return false
      yield* block.takeWrites()
      yield* run('DELETE FROM @store_copy')
      return true
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (Symbol.asyncDispose in this.#database) await this.#database[Symbol.asyncDispose]()
    else this.#database[Symbol.dispose]()
  }
}

function* liveWork({ isThere }: WriteBlock): Work<LiveWork> {
  const runs = yield* all(
    'SELECT id, lease_owner, lease_until FROM @runs WHERE lease_owner IS NOT NULL ORDER BY number',
  )
  const unfinished = `SELECT id, status FROM @tasks WHERE status IN ('pending', 'running') ORDER BY number`
  const tasks = (yield* isThere('tasks')) ? yield* all(unfinished) : []
  return {
    runs: runs.map(row => ({
      ...{ id: String(row['id']), owner: String(row['lease_owner']) },
      until: isoTime(Number(row['lease_until'])),
    })),
    tasks: tasks.map(row => ({ id: String(row['id']), status: String(row['status']) })),
  }
}

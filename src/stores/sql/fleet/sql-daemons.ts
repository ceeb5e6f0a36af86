import type { Daemon, DaemonStop } from '../../../core/fleet/daemon.ts'
import type { DaemonStore, NewDaemon } from '../../../ports/store/fleet/daemons.ts'
import { asDaemon } from '../../rows/presence-row.ts'
import type { SqlDeps, Transaction } from '../driver/driver.ts'
import { first, run, type Work } from '../driver/work.ts'

/** A table of daemons, and the row of this machine. */
interface Place {
  readonly table: string
  readonly column: string
  readonly key: string | number
}

/** The daemons of a store. Each host has its own, as its socket and its processes are there. Listeners for tasks hear of it too. */
export class SqlDaemons implements DaemonStore {
  readonly #deps: SqlDeps
  readonly #place: Place

  constructor(deps: SqlDeps) {
    this.#deps = deps
    const { host } = deps
    this.#place =
      host === null ? { table: '@daemon', column: 'one', key: 1 } : { table: '@daemons', column: 'host', key: host.id }
  }

  async find(): Promise<Daemon | null> {
    return this.#deps.driver.read(() => findDaemon(this.#place))
  }

  async take({ process, endpoint, version }: NewDaemon, seen: string | null): Promise<Daemon | null> {
    const { table, column, key } = this.#place
    return this.#write(({ now }) => {
      const row = [key, process, endpoint, version, now]
      if (seen !== null)
        return run(
          `UPDATE ${table} SET process = ?2, endpoint = ?3, version = ?4, started_at = ?5, stop = NULL
           WHERE ${column} = ?1 AND process = ?6`,
          [...row, seen],
        )
      return run(
        `INSERT INTO ${table} (${column}, process, endpoint, version, started_at)
         VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        row,
      )
    })
  }

  async askToStop(process: string, stop: DaemonStop): Promise<Daemon | null> {
    const { table, column, key } = this.#place
    const ask = `UPDATE ${table} SET stop = CASE WHEN stop = 'kill' THEN stop ELSE ? END
      WHERE ${column} = ? AND process = ?`
    return this.#write(() => run(ask, [stop, key, process]))
  }

  async leave(process: string): Promise<void> {
    const { table, column, key } = this.#place
    await this.#write(() => run(`DELETE FROM ${table} WHERE ${column} = ? AND process = ?`, [key, process]))
  }

  /** `work` returns the number of rows that it changed. `null` if it changed none. */
  async #write(work: (transaction: Transaction) => Work<number>): Promise<Daemon | null> {
    const { driver, changes } = this.#deps
    const place = this.#place
    const { written, found } = await driver.transaction(function* (transaction) {
      return { written: (yield* work(transaction)) === 1, found: yield* findDaemon(place) }
    })
    if (written) changes.tellOfTasks()
    return written ? found : null
  }
}

function* findDaemon({ table, column, key }: Place): Work<Daemon | null> {
  const columns = 'process, endpoint, version, started_at, stop'
  const row = yield* first(`SELECT ${columns} FROM ${table} WHERE ${column} = ?`, [key])
  return row ? asDaemon(row) : null
}

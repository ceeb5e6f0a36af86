import type { Daemon, DaemonStop } from '../../../core/fleet/daemon.ts'
import type { DaemonStore, NewDaemon } from '../../../ports/store/fleet/daemons.ts'
import { asDaemon } from '../../rows/presence-row.ts'
import type { PostgresSite } from '../changes/site.ts'
import type { Query, Transaction } from '../database/pool.ts'

/** One daemon for each host: its socket and its processes are there. Those who wait for tasks hear of it too. */
export class PostgresDaemons implements DaemonStore {
  readonly #site: PostgresSite
  readonly #host: string

  constructor(site: PostgresSite) {
    this.#site = site
    this.#host = site.host.id
  }

  async find(): Promise<Daemon | null> {
    return this.#find(this.#site.pool.query)
  }

  async take({ process, endpoint, version }: NewDaemon, seen: string | null): Promise<Daemon | null> {
    return this.#write(async ({ query, now }) => {
      const row = [this.#host, process, endpoint, version, now]
      const { count } =
        seen === null
          ? await query(
              `INSERT INTO @daemons (host, process, endpoint, version, started_at)
               VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
              row,
            )
          : await query(
              `UPDATE @daemons SET process = $2, endpoint = $3, version = $4, started_at = $5, stop = NULL
               WHERE host = $1 AND process = $6`,
              [...row, seen],
            )
      return count === 1
    })
  }

  async askToStop(process: string, stop: DaemonStop): Promise<Daemon | null> {
    return this.#write(async ({ query }) => {
      const { count } = await query(
        `UPDATE @daemons SET stop = CASE WHEN stop = 'kill' THEN stop ELSE $1 END WHERE host = $2 AND process = $3`,
        [stop, this.#host, process],
      )
      return count === 1
    })
  }

  async leave(process: string): Promise<void> {
    await this.#write(async ({ query }) => {
      const leave = 'DELETE FROM @daemons WHERE host = $1 AND process = $2'
      return (await query(leave, [this.#host, process])).count === 1
    })
  }

  /** `null` if nothing was written. */
  async #write(work: (transaction: Transaction) => Promise<boolean>): Promise<Daemon | null> {
    const { pool, changes } = this.#site
    const { written, found } = await pool.transaction(async transaction => ({
      written: await work(transaction),
      found: await this.#find(transaction.query),
    }))
    if (written) changes.tellOfTasks()
    return written ? found : null
  }

  async #find(query: Query): Promise<Daemon | null> {
    const columns = 'process, endpoint, version, started_at, stop'
    const [row] = (await query(`SELECT ${columns} FROM @daemons WHERE host = $1`, [this.#host])).rows
    return row ? asDaemon(row) : null
  }
}

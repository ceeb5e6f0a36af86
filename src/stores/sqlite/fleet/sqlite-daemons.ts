import type { Daemon, DaemonStop } from '../../../core/fleet/daemon.ts'
import type { DaemonStore, NewDaemon } from '../../../ports/store/fleet/daemons.ts'
import { asDaemon } from '../../rows/presence-row.ts'
import type { Database } from '../database/database.ts'
import type { TaskStoreDeps } from '../tasks/sqlite-tasks.ts'

/** Those who wait for tasks hear of the daemon too. */
export class SqliteDaemons implements DaemonStore {
  readonly #site: TaskStoreDeps

  constructor(site: TaskStoreDeps) {
    this.#site = site
  }

  async find(): Promise<Daemon | null> {
    const { database } = this.#site
    return database.read(() => findDaemon(database))
  }

  async take({ process, endpoint, version }: NewDaemon, seen: string | null): Promise<Daemon | null> {
    return this.#write((database, at) => {
      if ((findDaemon(database)?.process ?? null) !== seen) return false
      database
        .statement(
          `INSERT OR REPLACE INTO daemon (one, process, endpoint, version, started_at, stop)
             VALUES (1, ?, ?, ?, ?, NULL)`,
        )
        .run(process, endpoint, version, at)
      return true
    })
  }

  async askToStop(process: string, stop: DaemonStop): Promise<Daemon | null> {
    return this.#write(database => {
      const asked = database.statement(
        `UPDATE daemon SET stop = CASE WHEN stop = 'kill' THEN stop ELSE ? END WHERE process = ?`,
      )
      return asked.run(stop, process).changes === 1
    })
  }

  async leave(process: string): Promise<void> {
    await this.#write(database => database.statement('DELETE FROM daemon WHERE process = ?').run(process).changes === 1)
  }

  /** `null` if nothing was written. */
  async #write(work: (database: Database, at: number) => boolean): Promise<Daemon | null> {
    const { database, clock, changes } = this.#site
    const { written, found } = await database.transaction(() => ({
      written: work(database, clock.now()),
      found: findDaemon(database),
    }))
    if (written) changes.tellOfTasks()
    return written ? found : null
  }
}

function findDaemon(database: Database): Daemon | null {
  const row = database.statement('SELECT process, endpoint, version, started_at, stop FROM daemon').get()
  return row ? asDaemon(row) : null
}

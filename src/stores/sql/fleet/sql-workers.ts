import type { NewWorker, StoredWorker, WorkerStore } from '../../../ports/store/fleet/workers.ts'
import { asWorker } from '../../rows/presence-row.ts'
import type { SqlDeps } from '../driver/driver.ts'
import { all, run } from '../driver/work.ts'

/** No watcher hears of workers: a run that is ready waits for none of them. */
export class SqlWorkers implements WorkerStore {
  readonly #deps: SqlDeps

  constructor(deps: SqlDeps) {
    this.#deps = deps
  }

  async isHere({ process, agents }: NewWorker): Promise<void> {
    await this.#deps.driver.transaction(({ now }) =>
      run(
        `INSERT INTO @workers (process, agents, seen_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (process) DO UPDATE SET agents = ?2, seen_at = ?3`,
        [process, JSON.stringify(agents), now],
      ),
    )
  }

  async leave(processes: readonly string[]): Promise<void> {
    await this.#deps.driver.transaction(function* () {
      for (const process of processes) yield* run('DELETE FROM @workers WHERE process = ?', [process])
    })
  }

  async list(): Promise<StoredWorker[]> {
    return this.#deps.driver.snapshot(function* ({ now }) {
      return (yield* all('SELECT process, agents, seen_at FROM @workers ORDER BY process')).map(row =>
        asWorker(row, now),
      )
    })
  }
}

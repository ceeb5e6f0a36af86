import type { Exported, Imported } from '../../../core/run/exported.ts'
import type { ExportAttempt, ThreadBundles, ThreadExport, ThreadImport } from '../../../ports/store/thread-bundles.ts'
import { asImported } from '../../rows/bundle-row.ts'
import { findExport } from '../tables/exported-threads.ts'
import { findThread } from '../tables/journal-table.ts'
import type { TaskStoreDeps } from '../tasks/sqlite-tasks.ts'
import { exportThread } from './export-thread.ts'
import { importThread } from './import-thread.ts'

/** Threads that move between stores. Watchers hear of both ways. */
export class SqliteBundles implements ThreadBundles {
  readonly #site: TaskStoreDeps

  constructor(site: TaskStoreDeps) {
    this.#site = site
  }

  async export(request: ThreadExport): Promise<ExportAttempt> {
    const { database, clock, changes } = this.#site
    const attempt = await database.transaction(() => exportThread(database, request, clock.now()))
    changes.tell({ thread_id: request.thread_id, seq: request.after })
    return attempt
  }

  async exported(threadId: string): Promise<Exported | null> {
    const { database } = this.#site
    return database.read(() => {
      const thread = findThread(database, threadId)
      return thread && findExport(database, thread)
    })
  }

  async import(request: ThreadImport): Promise<Imported> {
    const { database, clock, changes } = this.#site
    const imported = await database.transaction(() => importThread(database, request, clock.now()))
    changes.tell({ thread_id: imported.thread_id, seq: imported.seq + request.behind.length })
    return imported
  }

  async imports(threadId: string): Promise<Imported[]> {
    const { database } = this.#site
    return database.read(() =>
      database
        .statement('SELECT bundle_id, thread_id, record FROM imports WHERE thread_id = ? ORDER BY number')
        .all(threadId)
        .map(asImported),
    )
  }
}

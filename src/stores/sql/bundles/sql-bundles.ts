import type { Exported, Imported } from '../../../core/run/exported.ts'
import type { ExportAttempt, ThreadBundles, ThreadExport, ThreadImport } from '../../../ports/store/thread-bundles.ts'
import { asExported, asImported } from '../../rows/bundle-row.ts'
import type { SqlDeps } from '../driver/driver.ts'
import { all, first } from '../driver/work.ts'
import { exportThread } from './export-thread.ts'
import { importThread } from './import-thread.ts'

/** Threads that move between stores. Watchers hear of both ways. */
export class SqlBundles implements ThreadBundles {
  readonly #deps: SqlDeps

  constructor(deps: SqlDeps) {
    this.#deps = deps
  }

  async export(request: ThreadExport): Promise<ExportAttempt> {
    const { driver, changes } = this.#deps
    const attempt = await driver.transaction(transaction => exportThread(transaction, request))
    changes.tell({ thread_id: request.thread_id, seq: request.after })
    return attempt
  }

  async exported(threadId: string): Promise<Exported | null> {
    const find = 'SELECT record FROM @exports WHERE thread = (SELECT number FROM @threads WHERE id = ?)'
    const row = await this.#deps.driver.read(() => first(find, [threadId]))
    return row ? asExported(row) : null
  }

  async import(request: ThreadImport): Promise<Imported> {
    const { driver, changes } = this.#deps
    const imported = await driver.transaction(transaction => importThread(transaction, request))
    changes.tell({ thread_id: imported.thread_id, seq: imported.seq + request.behind.length })
    return imported
  }

  async imports(threadId: string): Promise<Imported[]> {
    const list = 'SELECT bundle_id, thread_id, record FROM @imports WHERE thread_id = ? ORDER BY number'
    return (await this.#deps.driver.read(() => all(list, [threadId]))).map(asImported)
  }
}

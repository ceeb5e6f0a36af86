import type { Exported, Imported } from '../../../core/run/exported.ts'
import type { ExportAttempt, ThreadBundles, ThreadExport, ThreadImport } from '../../../ports/store/thread-bundles.ts'
import { asExported, asImported } from '../../rows/bundle-row.ts'
import type { PostgresSite } from '../changes/site.ts'
import { JournalTransaction } from '../journal/journal-transaction.ts'
import { exportThread } from './export-thread.ts'
import { importThread } from './import-thread.ts'

/** Threads that move between stores. Watchers hear of both ways. */
export class PostgresBundles implements ThreadBundles {
  readonly #site: PostgresSite

  constructor(site: PostgresSite) {
    this.#site = site
  }

  async export(request: ThreadExport): Promise<ExportAttempt> {
    const { pool, changes } = this.#site
    const attempt = await pool.transaction(transaction =>
      exportThread(new JournalTransaction(transaction, changes), request),
    )
    changes.tell({ thread_id: request.thread_id, seq: request.after })
    return attempt
  }

  async exported(threadId: string): Promise<Exported | null> {
    const { rows } = await this.#site.pool.query(
      'SELECT record FROM @exports WHERE thread = (SELECT number FROM @threads WHERE id = $1)',
      [threadId],
    )
    return rows[0] ? asExported(rows[0]) : null
  }

  async import(request: ThreadImport): Promise<Imported> {
    const { pool, changes } = this.#site
    const imported = await pool.transaction(transaction =>
      importThread(new JournalTransaction(transaction, changes), request),
    )
    changes.tell({ thread_id: imported.thread_id, seq: imported.seq + request.behind.length })
    return imported
  }

  async imports(threadId: string): Promise<Imported[]> {
    const listed = 'SELECT bundle_id, thread_id, record FROM @imports WHERE thread_id = $1 ORDER BY number'
    const { rows } = await this.#site.pool.query(listed, [threadId])
    return rows.map(asImported)
  }
}

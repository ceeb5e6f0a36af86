import type { BundledRun, BundledThread } from '../../core/bundle/bundle.ts'
import type { Standing } from '../../core/bundle/check-bundle.ts'
import type { PlainEvent } from '../../core/journal/event.ts'
import type { Exported, Imported } from '../../core/run/exported.ts'
import type { JsonObject } from '../../core/text/json.ts'

/** Called now and then with the number of events read or written, of how many. */
export type BundleProgress = (events: number, of: number) => void

/** Moves a thread out of its store. */
export interface ThreadExport {
  readonly onProgress?: BundleProgress
  readonly thread_id: string
  readonly run_id: string
  readonly checkpoint_id: string
  /** The thread's newest `seq` as it was seen: anything newer refuses the export. */
  readonly after: number
  /** Used if the thread has not moved away yet. */
  readonly bundle_id: string
  /** Used then too, ISO time. Default: now. */
  readonly exported_at?: string
  /** True to give what would leave: nothing moves. */
  readonly isDraft?: boolean
  readonly by: string
  readonly surface: string
  /** An owner whose lease does not count, because it is known to be gone. */
  readonly evict?: string | null
}

/** Puts a thread of another store into this one, all or nothing. */
export interface ThreadImport extends Omit<BundledThread, 'runs'> {
  readonly onProgress?: BundleProgress
  readonly bundle_id: string
  readonly thread_id: string
  readonly run_id: string
  readonly checkpoint_id: string
  readonly runs: readonly (BundledRun & Standing)[]
  /** Events of the import itself, after all the others. */
  readonly behind: readonly PlainEvent[]
  readonly by: string
  readonly surface: string
  /** More data for the record of the import. */
  readonly data: JsonObject
}

/** The result of an export: the thread has moved, or another process works on it. */
export type ExportAttempt =
  | { readonly outcome: 'exported'; readonly exported: Exported; readonly thread: BundledThread }
  | { readonly outcome: 'busy'; readonly owner: string; readonly until: string }

/** Threads that move between stores. Each method is one transaction, as in `Store`. */
export interface ThreadBundles {
  /**
   * From here on the thread cannot be decided, resumed or advanced here, unless it is imported again. The same
   * checkpoint again gives the same bundle again. @throws RefusedError `superseded` or `exported`
   */
  export(request: ThreadExport): Promise<ExportAttempt>
  /** `null` if the thread did not move away, or came back. */
  exported(threadId: string): Promise<Exported | null>
  /**
   * Writes a thread, or its events since it was exported here. @throws RefusedError `already_imported`, `not_exported`,
   * `bundle_outdated`, `bundle_diverged` or `bundle_conflicts`; then nothing was written.
   */
  import(request: ThreadImport): Promise<Imported>
  /** Every import of the thread here, oldest first. */
  imports(threadId: string): Promise<readonly Imported[]>
}

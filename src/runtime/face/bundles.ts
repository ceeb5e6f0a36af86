import type { Exported, Imported } from '../../core/run/exported.ts'
import type { Bundle, ExportOptions, ImportOptions } from '../threads/bundles.ts'

/** Threads that go on elsewhere, in a store that shares nothing with this one. */
export interface Bundles {
  /**
   * Moves the thread of a checkpoint out of this store: from here on nothing of it can be decided or go on here. The same
   * checkpoint again gives the same bundle again. @throws RefusedError
   * `unknown_checkpoint`, `superseded`, `already_completed`, `has_children`, `busy` or `exported`
   */
  export(checkpointId: string, options: ExportOptions): Promise<Bundle>

  /**
   * Makes the thread of a bundle one of this store, with its ids and times; `advance` continues its run.
   * @throws RefusedError if the bundle contradicts itself, was imported before, or does not fit; then nothing was
   * written.
   */
  import(bundle: Bundle, options: ImportOptions): Promise<Imported>

  /** `null` if the thread did not move away, or came back. */
  exported(threadId: string): Promise<Exported | null>
}

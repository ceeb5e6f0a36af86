import type { AuditRecord } from '../../core/audit/audit.ts'

/** A record of the audit log with its `seq`. */
export interface FeedEntry {
  readonly seq: number
  /** `null` if the record was made unreadable: `audit verify` shows it. */
  readonly record: AuditRecord | null
}

/** The place of one named reader in the feed, kept in the store. */
export interface Cursor {
  /** The `seq` of the last record that the reader has dealt with; 0 before the first. */
  read(): Promise<number>
  /**
   * A compare-and-set: true if the cursor was at `from` and is at `to` now. False if another reader of that name was
   * first, or if `to` is before `from` or beyond the newest record; then nothing changes.
   */
  advance(from: number, to: number): Promise<boolean>
}

/**
 * The audit log as a feed: starts and ends of runs, holds, decisions, effects, ends of tasks. `seq` is dense over the
 * whole store, from 1. A record becomes readable after all records before it, so a cursor never skips one that commits
 * late.
 */
export interface Feed {
  /** At most `limit` records after `after`, oldest first. */
  feed(after: number, limit: number): Promise<readonly FeedEntry[]>
  /** Reads and writes nothing yet. Any text is a name. */
  cursor(name: string): Cursor
  /** Calls back after there may be new records, written here or by another process, until it is disposed of. */
  watchFeed(onChange: () => void): Disposable
}

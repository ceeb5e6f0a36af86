import type { NewAuditEntry } from '../../core/audit/audit.ts'
import type { CopiedKey, CopiedRow, CopiedTable } from './copied-tables.ts'
import type { CopyMark } from './copy-mark.ts'

/** Why a store is opened: only a copy upgrades a store of an older version. */
export type Purpose = 'copy' | 'look'

/** The work that keeps a store from being moved. */
export interface LiveWork {
  /** Runs that a process works on, with the ISO time up to which it may. */
  readonly runs: readonly { readonly id: string; readonly owner: string; readonly until: string }[]
  /** Tasks that have a process, or wait for one. */
  readonly tasks: readonly { readonly id: string; readonly status: string }[]
}

/** The rows of a store, table by table. */
export interface CopiedStore extends AsyncDisposable {
  /** The store, as people name it. */
  readonly display: string
  mark(): Promise<CopyMark | null>
  /** Reads at most `limit` rows after `after`, by their keys. */
  page(table: CopiedTable, after: CopiedKey | null, limit: number): Promise<CopiedRow[]>
}

/** The last writes of a store that moves. */
export interface Freezing {
  readonly mark: CopyMark
  readonly entry: NewAuditEntry
  /** Throws about work that keeps the store from being moved: then nothing was changed. */
  readonly refuse: (live: LiveWork) => void
}

export interface CopySource extends CopiedStore {
  count(table: CopiedTable): Promise<number>
  secret(): Promise<string>
  live(): Promise<LiveWork>
  /** From then on each write of any process is refused with `store_moved`. */
  freeze(freezing: Freezing): Promise<void>
  /** Notes that the copy is all there. False if it was given up meanwhile. */
  settle(copyId: string): Promise<boolean>
  /** Takes `settle` back: the copy is not in use, so it can go on or be given up. */
  unsettle(copyId: string): Promise<void>
  /** Lets writers in again. False if no copy is under way. */
  thaw(): Promise<boolean>
}

export interface CopyTarget extends CopiedStore {
  /** False for a store of one machine: its tasks are of no host. */
  readonly hasHosts: boolean
  /** True if nothing is in the store. The look makes nothing. */
  isEmpty(): Promise<boolean>
  /** Notes the mark in a store with nothing in it. False if there is anything: then nothing was changed. */
  begin(mark: CopyMark): Promise<boolean>
  /** The place of the newest row; `null` if there is none. */
  newest(table: CopiedTable): Promise<CopiedKey | null>
  /** Writes the rows after `after`, all or none. False if the newest row is another one by now. */
  put(table: CopiedTable, after: CopiedKey | null, rows: readonly CopiedRow[]): Promise<boolean>
  /** After the last row: all of it is on the disk, and what is read from then on is read from there. */
  seal(secret: string): Promise<void>
  /** From then on the store can be used. If it throws, `mark` says whether it can. */
  finish(): Promise<void>
}

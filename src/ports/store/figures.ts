import type { HoldKind } from '../../core/hold/hold.ts'

/** The open holds of one kind. */
export interface OpenHolds {
  readonly kind: HoldKind
  readonly count: number
  /** When the one that waits longest was opened (ISO time). */
  readonly oldest_at: string
}

/** How many there are of what a store keeps, at one moment. */
export interface StoreFigures {
  /** Kinds of which none is open are left out. */
  readonly open_holds: readonly OpenHolds[]
  /** Runs that are not done, by status. Those whose thread moved to another store do not count. */
  readonly runs: { readonly running: number; readonly waiting: number }
  /** Leases of running runs: `expired` ones have an owner that stopped, or came to a halt. */
  readonly leases: { readonly held: number; readonly expired: number }
  /** The `seq` of the newest record of the feed; 0 if it is empty. */
  readonly newest_record: number
  /** The readers of the feed that keep their place in the store, by the name of their cursor; at most 20. */
  readonly cursors: readonly { readonly name: string; readonly seq: number }[]
}

/** The figures of a store, for its operators. */
export interface Figures {
  /** The figures at `at` (ISO time). Indexes answer it: the cost does not grow with decided holds or finished runs. */
  figures(at: string): Promise<StoreFigures>
}

import type { Amended, Amendment } from '../../core/deciding/amendment.ts'
import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import type { Hold, HoldKind, HoldStatus } from '../../core/hold/hold.ts'

/** `opened`: oldest first. `due`: what is due first, then what has no deadline, oldest first. `newest`: newest first. */
export type HoldOrder = (typeof HOLD_ORDERS)[number]

export const HOLD_ORDERS = ['opened', 'due', 'newest'] as const

/** Chooses holds. All that is given must fit. */
export interface HoldQuery {
  readonly status?: HoldStatus
  readonly agent?: string
  readonly tool?: string
  readonly assignee?: string
  readonly call_id?: string
  readonly run_id?: string
  readonly thread_id?: string
  readonly kind?: HoldKind
  /** Default: `opened`. */
  readonly order?: HoldOrder
  readonly limit?: number
  /** The last hold id of the page before this one. */
  readonly after?: string
}

/** Holds, and the decisions that end them. */
export interface HoldStore {
  /**
   * A compare-and-set on the row of each hold, each on its own (P2). With `all`, all or none: if one decision is
   * neither recorded nor a duplicate, nothing was written, and the receipts give the reason.
   */
  decide(decisions: readonly ReadyDecision[], options?: { readonly all?: boolean }): Promise<readonly Receipt[]>
  /**
   * Changes open holds: each change is a compare-and-set of its own, with its event (P2). An expiry with `ends_run` also
   * withdraws the other open holds of the run, each with a `hold.withdrawn`, and a waiting run becomes running.
   */
  amend(amendments: readonly Amendment[]): Promise<readonly Amended[]>
  /** Milliseconds since 1970 by the clock that judges deadlines and grants: that of this host, or of the database. */
  now(): Promise<number>
  hold(id: string): Promise<Hold | null>
  holds(query: HoldQuery): Promise<readonly Hold[]>
  /** Open holds that have something due by `at` (ISO time), the earliest first. */
  dueHolds(at: string, limit: number): Promise<readonly Hold[]>
  /**
   * When the next thing is due on an open hold, or the next run asks its model again (`retry_at`): an ISO time, later than
   * `after` if it is given; `null` if nothing will be.
   */
  nextDue(after?: string): Promise<string | null>
}

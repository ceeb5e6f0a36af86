import type { Amount } from '../../../core/count.ts'
import type { ChannelKind } from '../../../core/notice/notice-event.ts'
import type { MaybeUnreadable } from '../../../core/unreadable.ts'

/** The right to decide one hold as one person, once, by a secret in a link. The store has its digest, never the secret. */
export interface Link extends MaybeUnreadable {
  /** `sha256:` of the secret. */
  readonly digest: string
  readonly hold_id: string
  readonly person: string
  readonly channel: ChannelKind
  /** Level and assignee when the link was made: a link of an earlier level or another assignee is dead. */
  readonly level: Amount
  readonly assignee: string | null
  /** ISO times. */
  readonly created_at: string
  /** `null`: with the hold alone. */
  readonly expires_at: string | null
  readonly used_at: string | null
}

/** A link about to be sent: the store adds its time. */
export type NewLink = Omit<Link, 'created_at' | 'used_at' | 'unreadable'>

/** Links of notices. The rows alone: `core/notice/` decides which of them is dead. */
export interface LinkStore {
  add(links: readonly NewLink[]): Promise<void>
  /** Also if it is used or expired. */
  find(digest: string): Promise<Link | null>
  /** A compare-and-set: true for the first use alone. */
  use(digest: string): Promise<boolean>
}

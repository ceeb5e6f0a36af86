import type { Amount } from '../../../core/count.ts'
import type { ChannelKind, NoticeEvent } from '../../../core/notice/notice-event.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { MaybeUnreadable } from '../../../core/unreadable.ts'

/**
 * `due`: not sent yet. `sent`: sent, and still true as far as is known. `changed`: the hold is closed, and the message
 * shows it. `failed`: given up. `dropped`: there was nothing to report any more.
 */
export type NoticeStatus = 'due' | 'sent' | 'changed' | 'failed' | 'dropped'

/** A notice about to be put into the outbox. */
export interface NewNotice {
  readonly id: string
  /** The hold; of `waits_for_model`, the run. */
  readonly hold_id: string
  readonly event: NoticeEvent
  /** Distinguishes events of one kind: the number of the reminder, the level, the `seq` of the record, the beginning of the outage. */
  readonly about: string
  /** ISO time of the event. */
  readonly at: string
  readonly person: string | null
  readonly channel: ChannelKind
  /** The address on the channel: a Slack id, a mail address, a URL. */
  readonly address: string
  /** When to send it (ISO time). */
  readonly next_at: string
}

/** A notice of the outbox. */
export interface StoredNotice extends Omit<NewNotice, 'next_at'>, MaybeUnreadable {
  readonly status: NoticeStatus
  /** Failed tries in a row, with the one under way. */
  readonly tries: Amount
  /** When it is tried or changed next (ISO time); `null` if nothing is to be done. */
  readonly next_at: string | null
  /** The facts by which its channel changes the message. */
  readonly sent: JsonObject | null
  readonly sent_at: string | null
  /** The notice whose message includes this one; `null` if it has a message of its own. */
  readonly digest: string | null
  /** Why the newest try failed, in words. */
  readonly error: string | null
  readonly created_at: string
}

/** The notices and the changes of messages that a stretch of the feed leads to. */
export interface NoticeBatch {
  /** The place of the cursor that the caller saw, and the place to which it read. */
  readonly from: number
  readonly to: number
  readonly notices: readonly NewNotice[]
  /** The messages about these holds are not true any more: those of these channels are changed. */
  readonly stale: { readonly hold_ids: readonly string[]; readonly channels: readonly ChannelKind[] }
}

/** A notice that one process may send or change until `until`. */
export interface ClaimedNotice extends StoredNotice {
  /** True if an earlier try may have sent it, and no process noted how that ended. */
  readonly is_repeat: boolean
  /** ISO time. After it, another process may claim it, and `mark` does nothing. */
  readonly until: string
}

/** Asks for notices of one channel that are due. */
export interface NoticeClaim {
  readonly channel: ChannelKind
  readonly limit: number
  readonly ttl_ms: number
}

/** How a try ended. */
export interface NoticeMark {
  readonly status: NoticeStatus
  /** `null` if there is nothing more to do. A message that became stale during the try is due at once all the same. */
  readonly next_at: string | null
  /** Failed tries in a row. */
  readonly tries: Amount
  /** True if the message may have arrived although the try failed. Default: false. */
  readonly unsure?: boolean
  /** Kept as it was if left out. */
  readonly sent?: JsonObject
  readonly digest?: string
  readonly error: string | null
  /**
   * The receiver wants no more: the digest of the settings of its channel. `isRefused` is true while the notice stays
   * failed.
   */
  readonly refused_with?: string
}

/** Chooses notices. All that is given must fit. */
export interface NoticeQuery {
  readonly status?: NoticeStatus
  readonly hold_id?: string
  readonly digest?: string
  readonly limit?: number
  /** The last notice id of the page before this one. */
  readonly after?: string
}

/** How many notices there are to be seen by operators. */
export interface NoticeFigures {
  readonly due: Amount
  readonly failed: Amount
  /** When the one that waits longest was put in (ISO time); `null` if none waits. */
  readonly oldest_due_at: string | null
}

/** The outbox: messages to people, derived from the feed. No run waits for it. */
export interface NoticeStore {
  /** How far the feed was read; `null` if notices were never begun in this store. */
  place(): Promise<number | null>
  /**
   * Puts notices in and moves the cursor, in one transaction: a compare-and-set on `from`. False if another process was
   * first, and then nothing is written. A notice that is in already (same hold, event, `about`, channel and address) is
   * left as it is. The first batch of a store has any `from`.
   */
  enqueue(batch: NoticeBatch): Promise<boolean>
  /**
   * Takes what is due: of each address the oldest, so that each address is served in order. Each is claimed by one process
   * at a time.
   */
  claim(claim: NoticeClaim): Promise<readonly ClaimedNotice[]>
  /** Takes what else is due and belongs into the message of a claimed notice: the same address, or the same digest. */
  claimWith(notice: ClaimedNotice, claim: Pick<NoticeClaim, 'limit' | 'ttl_ms'>): Promise<readonly ClaimedNotice[]>
  /** Notes how a try ended, all in one transaction. Claims that ran out are left as they are. */
  mark(marks: readonly { readonly notice: ClaimedNotice; readonly mark: NoticeMark }[]): Promise<void>
  /** When to claim again if nothing happens before: the next one becomes due then, or a claim runs out. ISO time, or `null`. */
  nextDue(channels: readonly ChannelKind[]): Promise<string | null>
  notice(id: string): Promise<StoredNotice | null>
  /** Newest first. */
  list(query: NoticeQuery): Promise<readonly StoredNotice[]>
  /** The newest message that went to this address about this hold; `null` if there is none. */
  newestSent(notice: Pick<StoredNotice, 'hold_id' | 'channel' | 'address'>): Promise<StoredNotice | null>
  /** How many messages went to this address since then (ISO time), and how many of them were digests. */
  sentSince(
    to: Pick<StoredNotice, 'channel' | 'address'>,
    since: string,
  ): Promise<{ readonly messages: Amount; readonly digests: Amount }>
  /** True if a receiver wants no more, and the settings of its channel still have this digest. */
  isRefused(to: Pick<StoredNotice, 'channel' | 'address'>, settings: string): Promise<boolean>
  /**
   * Makes a failed notice due again, with all its tries; its address gets notices again. A notice that did not fail is
   * returned unchanged. `null` if it is unknown.
   */
  retry(id: string): Promise<StoredNotice | null>
  figures(): Promise<NoticeFigures>
}

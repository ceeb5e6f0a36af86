/** The outbox. Its cursor is the one of the feed that is named `notices`. */
import type { Amount } from '../../../core/count.ts'
import type { ChannelKind } from '../../../core/notice/notice-event.ts'
import type {
  ClaimedNotice,
  NoticeBatch,
  NoticeClaim,
  NoticeFigures,
  NoticeMark,
  NoticeQuery,
  NoticeStore,
  StoredNotice,
} from '../../../ports/store/people/notices.ts'
import { isoTimeOrNull } from '../../rows/iso-times.ts'
import { asNotice } from '../../rows/notice-row.ts'
import type { SqlDeps, SqlDriver } from '../driver/driver.ts'
import { first, type Row, run, type Work } from '../driver/work.ts'
import { makeCursor, moveCursor, readCursor } from '../tables/cursors.ts'
import { claimRows, dueHeads, dueMates, type HowToTake, markNotice } from './notice-claims.ts'
import { findNotice, insertNotices, listNotices, makeStale } from './notice-rows.ts'

const CURSOR = 'notices'

type Find = (how: HowToTake) => Work<readonly Row[]>

export class SqlNotices implements NoticeStore {
  readonly #driver: SqlDriver

  constructor({ driver }: SqlDeps) {
    this.#driver = driver
  }

  async place(): Promise<number | null> {
    return this.#driver.read(() => readCursor(CURSOR))
  }

  async enqueue({ from, to, notices, stale }: NoticeBatch): Promise<boolean> {
    return this.#driver.transaction(function* ({ now }) {
      // The first batch of a store has any `from`.
      if (!(yield* makeCursor(CURSOR, to)) && !(yield* moveCursor(CURSOR, from, to))) return false
      yield insertNotices(notices, now)
      yield* makeStale(stale, now)
      return true
    })
  }

  async claim(claim: NoticeClaim): Promise<readonly ClaimedNotice[]> {
    return this.#claim(claim, how => dueHeads(claim, how))
  }

  async claimWith(
    notice: ClaimedNotice,
    claim: Pick<NoticeClaim, 'limit' | 'ttl_ms'>,
  ): Promise<readonly ClaimedNotice[]> {
    return this.#claim(claim, how => dueMates(notice, claim.limit, how))
  }

  async #claim({ ttl_ms }: Pick<NoticeClaim, 'ttl_ms'>, find: Find): Promise<readonly ClaimedNotice[]> {
    // Most looks find nothing, and lock nothing.
    const seen = await this.#driver.snapshot(({ now }) => find({ now, taking: 'look' }))
    if (seen.length === 0) return []
    return this.#driver.transaction(function* ({ now }) {
      const rows = yield* find({ now, taking: 'lock' })
      return rows.length === 0 ? [] : yield* claimRows(rows, { now, until: now + ttl_ms })
    })
  }

  async mark(marks: readonly { readonly notice: ClaimedNotice; readonly mark: NoticeMark }[]): Promise<void> {
    await this.#driver.transaction(function* ({ now }) {
      for (const { notice, mark } of marks) yield* markNotice(notice, { ...mark, now })
    })
  }

  async nextDue(channels: readonly ChannelKind[]): Promise<string | null> {
    const row = await this.#driver.snapshot(({ now }) =>
      first(
        `SELECT min(at) AS at FROM (
           SELECT min(next_at) AS at FROM @notices
           WHERE channel = ANY(?1::text[]) AND next_at IS NOT NULL AND next_at > ?2
           UNION ALL SELECT min(claimed_until) FROM @notices WHERE claimed_until IS NOT NULL AND claimed_until > ?2) due`,
        [channels, now],
      ),
    )
    return isoTimeOrNull(row?.['at'] ?? null)
  }

  async notice(id: string): Promise<StoredNotice | null> {
    return this.#driver.read(() => findNotice(id))
  }

  async list(query: NoticeQuery): Promise<readonly StoredNotice[]> {
    return this.#driver.read(() => listNotices(query))
  }

  async newestSent(to: Pick<StoredNotice, 'hold_id' | 'channel' | 'address'>): Promise<StoredNotice | null> {
    const row = await this.#driver.read(() =>
      first(
        `SELECT * FROM @notices WHERE hold_id = ? AND channel = ? AND address = ? AND sent IS NOT NULL AND digest IS NULL
         ORDER BY number DESC LIMIT 1`,
        [to.hold_id, to.channel, to.address],
      ),
    )
    return row ? asNotice(row) : null
  }

  async sentSince(
    to: Pick<StoredNotice, 'channel' | 'address'>,
    since: string,
  ): Promise<{ readonly messages: Amount; readonly digests: Amount }> {
    const row = await this.#driver.read(() =>
      first(
        `SELECT count(DISTINCT coalesce(digest, id)) AS messages, count(DISTINCT digest) AS digests FROM @notices
         WHERE channel = ? AND address = ? AND sent_at IS NOT NULL AND sent_at > ?`,
        [to.channel, to.address, Date.parse(since)],
      ),
    )
    return { messages: Number(row?.['messages']), digests: Number(row?.['digests']) }
  }

  async isRefused({ channel, address }: Pick<StoredNotice, 'channel' | 'address'>, settings: string): Promise<boolean> {
    const asked = `SELECT 1 FROM @notices WHERE channel = ? AND address = ? AND refused_with IS NOT NULL
      AND refused_with = ? LIMIT 1`
    return (await this.#driver.read(() => first(asked, [channel, address, settings]))) !== undefined
  }

  async retry(id: string): Promise<StoredNotice | null> {
    return this.#driver.transaction(function* ({ now }) {
      yield* run(
        `UPDATE @notices AS n SET refused_with = NULL FROM @notices AS retried
         WHERE retried.id = ? AND n.channel = retried.channel AND n.address = retried.address
           AND n.refused_with IS NOT NULL`,
        [id],
      )
      yield* run(
        `UPDATE @notices SET status = CASE WHEN sent IS NULL THEN 'due' ELSE 'sent' END, tries = 0, next_at = ?,
           error = NULL WHERE id = ? AND status = 'failed'`,
        [now, id],
      )
      return yield* findNotice(id)
    })
  }

  async figures(): Promise<NoticeFigures> {
    const row = await this.#driver.read(() =>
      first(
        `SELECT count(*) AS due, min(created_at) AS oldest,
           (SELECT count(*) FROM @notices WHERE status = 'failed') AS failed
         FROM @notices WHERE next_at IS NOT NULL AND status = 'due'`,
      ),
    )
    return {
      due: Number(row?.['due']),
      failed: Number(row?.['failed']),
      oldest_due_at: isoTimeOrNull(row?.['oldest'] ?? null),
    }
  }
}

/** The outbox. Its cursor is the one of the feed that is named `notices`. */
import type { Amount } from '../../../core/count.ts'
import type { ChannelKind } from '../../../core/notice/notice-event.ts'
import type { Clock } from '../../../ports/clock.ts'
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
import type { Database } from '../database/database.ts'
import { claimRows, dueHeads, dueMates, markNotice } from './notice-claims.ts'
import { findNotice, insertNotice, makeStale } from './notice-rows.ts'

interface NoticeDeps {
  readonly database: Database
  readonly clock: Pick<Clock, 'now'>
}

const CURSOR = 'notices'

export class SqliteNotices implements NoticeStore {
  readonly #database: Database
  readonly #clock: Pick<Clock, 'now'>

  constructor({ database, clock }: NoticeDeps) {
    this.#database = database
    this.#clock = clock
  }

  async place(): Promise<number | null> {
    return this.#database.read(() => this.#place())
  }

  async enqueue({ from, to, notices, stale }: NoticeBatch): Promise<boolean> {
    return this.#database.transaction(() => {
      const place = this.#place()
      if (place !== null && place !== from) return false
      const now = this.#clock.now()
      for (const notice of notices) insertNotice(this.#database, notice, now)
      for (const hold_id of stale.hold_ids) makeStale(this.#database, { hold_id, channels: stale.channels, now })
      this.#database
        .statement('INSERT INTO cursors (name, seq) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq')
        .run(CURSOR, to)
      return true
    })
  }

  #place(): number | null {
    const row = this.#database.statement('SELECT seq FROM cursors WHERE name = ?').get(CURSOR)
    return row ? Number(row['seq']) : null
  }

  async claim(claim: NoticeClaim): Promise<readonly ClaimedNotice[]> {
    const heads = () => dueHeads(this.#database, claim, this.#clock.now())
    // To find nothing must not make writers wait.
    if ((await this.#database.read(heads)).length === 0) return []
    return this.#database.transaction(() => claimRows(this.#database, heads(), this.#until(claim)))
  }

  async claimWith(
    notice: ClaimedNotice,
    claim: Pick<NoticeClaim, 'limit' | 'ttl_ms'>,
  ): Promise<readonly ClaimedNotice[]> {
    const mates = () => dueMates(this.#database, notice, { ...claim, now: this.#clock.now() })
    if ((await this.#database.read(mates)).length === 0) return []
    return this.#database.transaction(() => claimRows(this.#database, mates(), this.#until(claim)))
  }

  #until({ ttl_ms }: Pick<NoticeClaim, 'ttl_ms'>): { now: number; until: number } {
    const now = this.#clock.now()
    return { now, until: now + ttl_ms }
  }

  async mark(marks: readonly { readonly notice: ClaimedNotice; readonly mark: NoticeMark }[]): Promise<void> {
    await this.#database.transaction(() => {
      const now = this.#clock.now()
      for (const { notice, mark } of marks) markNotice(this.#database, notice, { ...mark, now })
    })
  }

  async nextDue(channels: readonly ChannelKind[]): Promise<string | null> {
    return this.#database.read(() => {
      const now = this.#clock.now()
      const row = this.#database
        .statement(
          `SELECT min(at) AS at FROM (
             SELECT min(next_at) AS at FROM notices
             WHERE channel IN (SELECT value FROM json_each(?1)) AND next_at IS NOT NULL AND next_at > ?2
             UNION ALL SELECT min(claimed_until) FROM notices WHERE claimed_until IS NOT NULL AND claimed_until > ?2)`,
        )
        .get(JSON.stringify(channels), now)
      return isoTimeOrNull(row?.['at'] ?? null)
    })
  }

  async notice(id: string): Promise<StoredNotice | null> {
    return this.#database.read(() => findNotice(this.#database, id))
  }

  async list({ status, hold_id, digest, limit = -1, after }: NoticeQuery): Promise<readonly StoredNotice[]> {
    const conditions: readonly (readonly [string, string | undefined])[] = [
      ['status = ?', status],
      ['hold_id = ?', hold_id],
      ['digest = ?', digest],
      ['number < (SELECT number FROM notices WHERE id = ?)', after],
    ]
    const asked = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]))
    const where = asked.length > 0 ? `WHERE ${asked.map(({ sql }) => sql).join(' AND ')}` : ''
    return this.#database.read(() =>
      this.#database
        .statement(`SELECT * FROM notices ${where} ORDER BY number DESC LIMIT ?`)
        .all(...asked.map(({ value }) => value), limit)
        .map(asNotice),
    )
  }

  async newestSent(to: Pick<StoredNotice, 'hold_id' | 'channel' | 'address'>): Promise<StoredNotice | null> {
    return this.#database.read(() => {
      const row = this.#database
        .statement(
          `SELECT * FROM notices WHERE hold_id = ? AND channel = ? AND address = ? AND sent IS NOT NULL AND digest IS NULL
           ORDER BY number DESC LIMIT 1`,
        )
        .get(to.hold_id, to.channel, to.address)
      return row ? asNotice(row) : null
    })
  }

  async sentSince(
    to: Pick<StoredNotice, 'channel' | 'address'>,
    since: string,
  ): Promise<{ readonly messages: Amount; readonly digests: Amount }> {
    return this.#database.read(() => {
      const row = this.#database
        .statement(
          `SELECT count(DISTINCT coalesce(digest, id)) AS messages, count(DISTINCT digest) AS digests FROM notices
           WHERE channel = ? AND address = ? AND sent_at IS NOT NULL AND sent_at > ?`,
        )
        .get(to.channel, to.address, Date.parse(since))
      return { messages: Number(row?.['messages']), digests: Number(row?.['digests']) }
    })
  }

  async isRefused({ channel, address }: Pick<StoredNotice, 'channel' | 'address'>, settings: string): Promise<boolean> {
    const asked = 'SELECT 1 FROM notices WHERE channel = ? AND address = ? AND refused_with = ? LIMIT 1'
    return this.#database.read(() => this.#database.statement(asked).get(channel, address, settings) !== undefined)
  }

  async retry(id: string): Promise<StoredNotice | null> {
    return this.#database.transaction(() => {
      this.#database
        .statement(
          `UPDATE notices SET refused_with = NULL FROM notices AS retried
           WHERE retried.id = ? AND notices.channel = retried.channel AND notices.address = retried.address
             AND notices.refused_with IS NOT NULL`,
        )
        .run(id)
      this.#database
        .statement(
          `UPDATE notices SET status = CASE WHEN sent IS NULL THEN 'due' ELSE 'sent' END, tries = 0, next_at = ?, error = NULL
           WHERE id = ? AND status = 'failed'`,
        )
        .run(this.#clock.now(), id)
      return findNotice(this.#database, id)
    })
  }

  async figures(): Promise<NoticeFigures> {
    return this.#database.read(() => {
      const row = this.#database
        .statement(
          `SELECT count(*) AS due, min(created_at) AS oldest,
             (SELECT count(*) FROM notices WHERE status = 'failed') AS failed
           FROM notices WHERE next_at IS NOT NULL AND status = 'due'`,
        )
        .get()
      return {
        due: Number(row?.['due']),
        failed: Number(row?.['failed']),
        oldest_due_at: isoTimeOrNull(row?.['oldest'] ?? null),
      }
    })
  }
}

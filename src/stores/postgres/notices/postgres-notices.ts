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
import { readCursor } from '../audit/feed-cursors.ts'
import type { PostgresSite } from '../changes/site.ts'
import type { Pool, Query, Row } from '../database/pool.ts'
import { claimRows, dueHeads, dueMates, markNotice, type Taking } from './notice-claims.ts'
import { findNotice, insertNotice, listNotices, makeStale } from './notice-rows.ts'

const CURSOR = 'notices'

type Find = (query: Query, how: { readonly now: number; readonly taking: Taking }) => Promise<readonly Row[]>

export class PostgresNotices implements NoticeStore {
  readonly #pool: Pool

  constructor({ pool }: PostgresSite) {
    this.#pool = pool
  }

  async place(): Promise<number | null> {
    return readCursor(this.#pool.query, CURSOR)
  }

  async enqueue({ from, to, notices, stale }: NoticeBatch): Promise<boolean> {
    return this.#pool.transaction(async ({ query, now }) => {
      if (!(await moveCursor(query, from, to))) return false
      for (const notice of notices) await insertNotice(query, notice, now)
      await makeStale(query, stale, now)
      return true
    })
  }

  async claim(claim: NoticeClaim): Promise<readonly ClaimedNotice[]> {
    return this.#claim(claim, (query, how) => dueHeads(query, claim, how))
  }

  async claimWith(
    notice: ClaimedNotice,
    claim: Pick<NoticeClaim, 'limit' | 'ttl_ms'>,
  ): Promise<readonly ClaimedNotice[]> {
    return this.#claim(claim, (query, how) => dueMates(query, notice, { ...how, limit: claim.limit }))
  }

  async #claim({ ttl_ms }: Pick<NoticeClaim, 'ttl_ms'>, find: Find): Promise<readonly ClaimedNotice[]> {
    return this.#pool.transaction(async ({ query, now }) => {
      // Most looks find nothing, and lock nothing.
      if ((await find(query, { now, taking: 'look' })).length === 0) return []
      const rows = await find(query, { now, taking: 'lock' })
      return rows.length === 0 ? [] : claimRows(query, rows, { now, until: now + ttl_ms })
    })
  }

  async mark(marks: readonly { readonly notice: ClaimedNotice; readonly mark: NoticeMark }[]): Promise<void> {
    await this.#pool.transaction(async ({ query, now }) => {
      for (const { notice, mark } of marks) await markNotice(query, notice, { ...mark, now })
    })
  }

  async nextDue(channels: readonly ChannelKind[]): Promise<string | null> {
    return this.#pool.transaction(async ({ query, now }) => {
      const { rows } = await query(
        `SELECT least(
           (SELECT min(next_at) FROM @notices
            WHERE channel = ANY($1::text[]) AND next_at IS NOT NULL AND next_at > $2),
           (SELECT min(claimed_until) FROM @notices WHERE claimed_until IS NOT NULL AND claimed_until > $2)) AS at`,
        [channels, now],
      )
      return isoTimeOrNull(rows[0]?.['at'] ?? null)
    })
  }

  async notice(id: string): Promise<StoredNotice | null> {
    return findNotice(this.#pool.query, id)
  }

  async list(query: NoticeQuery): Promise<readonly StoredNotice[]> {
    return listNotices(this.#pool.query, query)
  }

  async newestSent(to: Pick<StoredNotice, 'hold_id' | 'channel' | 'address'>): Promise<StoredNotice | null> {
    const { rows } = await this.#pool.query(
      `SELECT * FROM @notices WHERE hold_id = $1 AND channel = $2 AND address = $3 AND sent IS NOT NULL AND digest IS NULL
       ORDER BY number DESC LIMIT 1`,
      [to.hold_id, to.channel, to.address],
    )
    return rows[0] ? asNotice(rows[0]) : null
  }

  async sentSince(
    to: Pick<StoredNotice, 'channel' | 'address'>,
    since: string,
  ): Promise<{ readonly messages: Amount; readonly digests: Amount }> {
    const { rows } = await this.#pool.query(
      `SELECT count(DISTINCT coalesce(digest, id)) AS messages, count(DISTINCT digest) AS digests FROM @notices
       WHERE channel = $1 AND address = $2 AND sent_at IS NOT NULL AND sent_at > $3`,
      [to.channel, to.address, Date.parse(since)],
    )
    return { messages: Number(rows[0]?.['messages']), digests: Number(rows[0]?.['digests']) }
  }

  async isRefused({ channel, address }: Pick<StoredNotice, 'channel' | 'address'>, settings: string): Promise<boolean> {
    const { rows } = await this.#pool.query(
      `SELECT 1 FROM @notices WHERE channel = $1 AND address = $2 AND refused_with IS NOT NULL AND refused_with = $3
       LIMIT 1`,
      [channel, address, settings],
    )
    return rows.length > 0
  }

  async retry(id: string): Promise<StoredNotice | null> {
    return this.#pool.transaction(async ({ query, now }) => {
      await query(
        `UPDATE @notices n SET refused_with = NULL FROM @notices AS retried
         WHERE retried.id = $1 AND n.channel = retried.channel AND n.address = retried.address
           AND n.refused_with IS NOT NULL`,
        [id],
      )
      await query(
        `UPDATE @notices SET status = CASE WHEN sent IS NULL THEN 'due' ELSE 'sent' END, tries = 0, next_at = $1,
           error = NULL WHERE id = $2 AND status = 'failed'`,
        [now, id],
      )
      return findNotice(query, id)
    })
  }

  async figures(): Promise<NoticeFigures> {
    const { rows } = await this.#pool.query(
      `SELECT count(*) AS due, min(created_at) AS oldest,
         (SELECT count(*) FROM @notices WHERE status = 'failed') AS failed
       FROM @notices WHERE next_at IS NOT NULL AND status = 'due'`,
    )
    const [row] = rows
    return {
      due: Number(row?.['due']),
      failed: Number(row?.['failed']),
      oldest_due_at: isoTimeOrNull(row?.['oldest'] ?? null),
    }
  }
}

/** Inside a transaction. False if another process was first. The first batch of a store has any `from`. */
async function moveCursor(query: Query, from: number, to: number): Promise<boolean> {
  const made = await query('INSERT INTO @cursors (name, seq) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
    ...[CURSOR, to],
  ])
  if (made.count === 1) return true
  const move = 'UPDATE @cursors SET seq = $3 WHERE name = $1 AND seq = $2'
  return (await query(move, [CURSOR, from, to])).count === 1
}

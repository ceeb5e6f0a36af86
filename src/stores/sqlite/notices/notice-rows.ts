import type { ChannelKind } from '../../../core/notice/notice-event.ts'
import type { NewNotice, StoredNotice } from '../../../ports/store/people/notices.ts'
import { asNotice } from '../../rows/notice-row.ts'
import type { Database } from '../database/database.ts'

export type NoticeRow = Readonly<Record<string, unknown>>

/** A notice that is in already stays as it is. */
export function insertNotice(database: Database, notice: NewNotice, now: number): void {
  const { id, hold_id, event, about, at, person, channel, address, next_at } = notice
  database
    .statement(
      `INSERT INTO notices (id, hold_id, event, about, at, person, channel, address, status, next_at, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'due', ?, ?)
         ON CONFLICT (hold_id, event, about, channel, address) DO NOTHING`,
    )
    .run(id, hold_id, event, about, Date.parse(at), person, channel, address, Date.parse(next_at), now)
}

/** How long the message of a digest may be behind: many of its holds are decided at once. */
const DIGEST_REST_MS = 5_000

/** Messages about the hold are changed soon; one that is just being sent is changed afterwards. */
export function makeStale(
  database: Database,
  { hold_id, channels, now }: { hold_id: string; channels: readonly ChannelKind[]; now: number },
): void {
  database
    .statement(
      `UPDATE notices SET stale = 1,
         tries = CASE WHEN status = 'due' OR next_at IS NOT NULL THEN tries ELSE 0 END,
         next_at = CASE WHEN status = 'due' THEN next_at
           ELSE coalesce(next_at, ?2 + CASE WHEN digest IS NULL THEN 0 ELSE ${DIGEST_REST_MS} END) END,
         status = CASE WHEN status = 'failed' THEN 'sent' ELSE status END
       WHERE hold_id = ?1 AND channel IN (SELECT value FROM json_each(?3))
         AND (status IN ('due', 'sent') OR status = 'failed' AND sent IS NOT NULL)`,
    )
    .run(hold_id, now, JSON.stringify(channels))
}

export function findNotice(database: Database, id: string): StoredNotice | null {
  const row = database.statement('SELECT * FROM notices WHERE id = ?').get(id)
  return row ? asNotice(row) : null
}
